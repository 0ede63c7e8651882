/**
 * `pnpm bench:tracing`: what tracing costs. Services with tracing off and on serve the same requests in turn, in
 * short slices, so that both see the same noise. `--before` names another checkout, whose service takes part too,
 * and `--all` adds one that samples every request.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startWithCustomers } from './customers-database.ts';
import { findLoad } from './http-load.ts';
import { readPaths } from './overload/load.ts';
import { startService, type Service } from './service.ts';
import { summarise } from './statistics.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '1' },
    before: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
/** The greatest loss of throughput, in per cent: of `off` against an older checkout, and of others against `off`. */
const bars: Record<string, number> = { before: 1, '1 % sampled': 3 };
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

interface Contestant {
  name: string;
  service: Service;
  /** In each round. */
  perSecond: number[];
  cpuMs: number[];
  /** Refused, because a shared machine may be too busy for a while. */
  failed: number;
}

const { load } = await findLoad();

/** A collector that accepts everything. It runs in this process, which is idle during a slice. */
let batches = 0;
const collector = createServer((request, response) => {
  batches += 1;
  request.resume().on('end', () => response.end('{}'));
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

const at = (ratio: number): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER_ARG: String(ratio),
});

const database = await startWithCustomers(Number(values.customers), say, { reuse: true });
const all: Contestant[] = [];
try {
  const start = async (name: string, env: Record<string, string>, main?: string): Promise<void> => {
    const service = await startService(database.url, { ...env, CLIENTELE_WARM_UP: 'off' }, main);
    all.push({ name, service, perSecond: [], cpuMs: [], failed: 0 });
  };
  await start('off', {});
  if (values.before !== undefined) {
    await start('before', {}, resolve(values.before, 'packages/cli/src/main.ts'));
  }
  await start('1 % sampled', at(0.01));
  if (values.all) await start('all sampled', at(1));
  const paths = await readPaths(database);
  for (const each of all) {
    for (const path of paths) await each.service.getWithRetries(path);
    await slice(each, paths);
    Object.assign(each, { perSecond: [], cpuMs: [], failed: 0 });
  }
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Whoever comes first changes with every round.
    const turn = round % all.length;
    for (const each of [...all.slice(turn), ...all.slice(0, turn)]) await slice(each, paths);
  }
  report();
} finally {
  for (const { service } of all) await service.stop();
  await database.stop();
  collector.closeAllConnections();
  collector.close();
}

async function slice(each: Contestant, paths: string[]): Promise<void> {
  const { origin, headers } = each.service;
  const seconds = Number(values.seconds);
  const before = await each.service.cpuSeconds();
  const result = await load({ origin, headers, paths, connections: 32, seconds });
  const used = (await each.service.cpuSeconds()) - before;
  each.failed += result.failed;
  each.perSecond.push(result.perSecond - result.failed / seconds);
  each.cpuMs.push((1_000 * used) / (result.perSecond * seconds));
}

function report(): void {
  const [off] = all as [Contestant];
  const failed = all.map((each) => `${each.name} ${each.failed}`).join(', ');
  say(`${batches} batches of spans; failed requests: ${failed}`);
  process.stdout.write(
    '| Tracing | Requests/s | Loss, % | between | More CPU per request, % | between | Bar | |\n| --- | ---: | ---: | --- | ---: | --- | ---: | --- |\n',
  );
  for (const { name, perSecond, cpuMs } of all) {
    const cells = [name, summarise(perSecond).p50.toFixed(0)];
    if (name !== off.name) {
      // The older checkout is what `off` is compared with, and `off` is what others are compared with.
      const older = name === 'before';
      const [ours, others] = older ? [off, { perSecond, cpuMs }] : [{ perSecond, cpuMs }, off];
      const loss = change(ours.perSecond, others.perSecond, -100);
      const cpu = change(ours.cpuMs, others.cpuMs, 100);
      const bar = bars[name];
      cells.push(...shown(loss), ...shown(cpu), bar === undefined ? '' : `≤ ${bar} %`);
      if (bar !== undefined) cells.push(verdict(loss, bar));
    }
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}

interface Change {
  median: number;
  /** In 95 of 100 such runs, the true median is in between. */
  least: number;
  most: number;
}

/** Of pairs that were measured in the same round, so that noise that lasts longer does not count. */
function change(ours: number[], others: number[], factor: number): Change {
  const changes = ours.map((value, i) => factor * (value / others[i]! - 1));
  const sorted = changes.toSorted((a, b) => a - b);
  const { length } = sorted;
  const reach = 0.98 * Math.sqrt(length);
  return {
    median: summarise(sorted).p50,
    least: sorted[Math.max(0, Math.floor(length / 2 - reach))]!,
    most: sorted[Math.min(length - 1, Math.ceil(length / 2 + reach))]!,
  };
}

function shown({ median, least, most }: Change): string[] {
  return [median.toFixed(1), `${least.toFixed(1)} and ${most.toFixed(1)}`];
}

function verdict({ least, most }: Change, bar: number): string {
  if (most <= bar) return 'holds';
  if (least <= bar) return 'too noisy to decide';
  process.exitCode = 1;
  return 'does not hold';
}
