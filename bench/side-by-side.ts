/**
 * Compares services that differ in one thing. They serve the same requests in turn, in short slices, so that all see
 * the same noise, and are started several times: two processes of the same program may differ by a quarter, each for as
 * long as it runs.
 */
import { findLoad } from './http-load.ts';
import { startService, type Service } from './service.ts';
import { median } from './statistics.ts';

/** Fewer do not give an interval. */
export const fewestStarts = 6;

const measures = ['perSecond', 'cpuMs', 'p50'] as const;
type Measure = (typeof measures)[number];

export interface Contestant extends Record<Measure, number[]> {
  name: string;
  env: Record<string, string>;
  /** Refused, because a shared machine may be too busy for a while. */
  failed: number;
}

/** Each measure has the median of each start: requests/s, CPU time for each, and the p50 of one connection in ms. */
export const contestant = (name: string, env: Record<string, string>): Contestant => ({
  name,
  env: { ...env, CLIENTELE_WARM_UP: 'off' },
  perSecond: [],
  cpuMs: [],
  p50: [],
  failed: 0,
});

export interface Comparison {
  url: string;
  paths: string[];
  starts: number;
  rounds: number;
  seconds: number;
}

interface Running extends Record<Measure, number[]> {
  contestant: Contestant;
  service: Service;
}

const { load } = await findLoad();

export async function sideBySide(all: Contestant[], comparison: Comparison): Promise<void> {
  for (let start = 0; start < comparison.starts; start += 1) {
    // Whoever comes first changes every time.
    await runOnce(rotated(all, start), comparison);
  }
}

/** Starts each service and compares them. */
export async function runOnce(all: Contestant[], comparison: Comparison): Promise<void> {
  const { url, paths, rounds } = comparison;
  const running: Running[] = [];
  try {
    for (const each of all) {
      const service = await startService(url, each.env);
      running.push({ contestant: each, service, perSecond: [], cpuMs: [], p50: [] });
    }
    for (const each of running) {
      for (const path of paths) await each.service.getWithRetries(path);
      await slice(each, comparison);
      for (const measure of measures) each[measure] = [];
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const each of rotated(running, round)) await slice(each, comparison);
    }
    for (const each of running) {
      for (const measure of measures) each.contestant[measure].push(median(each[measure]));
    }
  } finally {
    for (const { service } of running) await service.stop();
  }
}

/** Throughput is that of 32 connections, and latency that of one. */
async function slice(each: Running, { paths, seconds }: Comparison): Promise<void> {
  const { service } = each;
  const { origin, headers } = service;
  const before = await service.cpuSeconds();
  const result = await load({ origin, headers, paths, connections: 32, seconds });
  const used = (await service.cpuSeconds()) - before;
  each.contestant.failed += result.failed;
  each.perSecond.push(result.perSecond - result.failed / seconds);
  each.cpuMs.push((1_000 * used) / (result.perSecond * seconds));
  const alone: number[] = [];
  for (let i = 0; i < 150; i += 1) alone.push((await service.get(paths[i % paths.length]!)).ms);
  each.p50.push(median(alone));
}

function rotated<T>(list: T[], by: number): T[] {
  const turn = by % list.length;
  return [...list.slice(turn), ...list.slice(0, turn)];
}
