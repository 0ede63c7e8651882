import { setTimeout as sleep } from 'node:timers/promises';
import { list } from '../list-requests.ts';
import type { Service } from '../service.ts';
import { person, searchedTexts, type Session } from '../session-mix.ts';
import { summarise } from '../statistics.ts';
import { mixEverySecond } from '../writer.ts';
import { row, rounds, type Bench, type Row } from './measure.ts';

const people = 20;
const seconds = 12;

interface Latencies {
  warm: number[];
  cold: number[];
  failed: number;
}

/** m: many people at work while rows are written. Their searches grow colder from the first to the last. */
export async function sessions(bench: Bench, service: Service): Promise<Row[]> {
  const { database, customers, say } = bench;
  const texts = await searchedTexts(database, customers);
  const everybody = Array.from({ length: people }, (_, i) => person(texts, i + 1));
  const answered = new Set<string>();
  await service.getWithRetries(list);
  answered.add('');
  const quiet: ReturnType<typeof summary>[] = [];
  const busy: ReturnType<typeof summary>[] = [];
  const rates: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    quiet.push(summary(await work(service, everybody, answered)));
    const writer = await mixEverySecond(database.url, 200);
    try {
      await writer.writing;
      busy.push(summary(await work(service, everybody, answered)));
    } finally {
      rates.push(await writer.stop());
    }
  }
  const p99s = busy.map(({ warm }) => warm.p99);
  const failed = [...quiet, ...busy].reduce((sum, round) => sum + round.failed, 0);
  for (const [name, all] of Object.entries({ quiet, busy })) {
    const last = all.at(-1)!;
    const p99 = all.map(({ warm }) => warm.p99.toFixed(1)).join(' ');
    const cold = last.cold ? `${last.cold.count} cold, p50 ${last.cold.p50.toFixed(1)} ms` : '';
    say(
      `m, ${name}: p99 ${p99} ms; last: ${last.warm.count} warm, p50 ${last.warm.p50.toFixed(1)} ms; ${cold}`,
    );
  }
  const result = row(
    'm',
    'p99 of warm requests in a mix of sessions, 200 rows/s written, ms',
    p99s,
    50,
    {
      quiet,
      busy,
      rates,
      failed,
    },
  );
  return [{ ...result, holds: result.holds === true && failed === 0 }];
}

const summary = ({ warm, cold, failed }: Latencies) => ({
  warm: summarise(warm),
  cold: cold.length > 0 ? summarise(cold) : undefined,
  failed,
});

async function work(
  service: Service,
  everybody: Session[],
  answered: Set<string>,
): Promise<Latencies> {
  const latencies: Latencies = { warm: [], cold: [], failed: 0 };
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    everybody.map((session) => takePart(service, session, answered, latencies, end)),
  );
  return latencies;
}

const responses = new WeakMap<Session, string>();

/** A search is cold until it has been answered once. */
async function takePart(
  service: Service,
  session: Session,
  answered: Set<string>,
  latencies: Latencies,
  end: number,
): Promise<void> {
  while (performance.now() < end) {
    const { value: step } = session.next(responses.get(session) ?? emptyPage);
    if (!step) return;
    await sleep(step.pauseMs);
    const isWarm = step.counted === undefined || answered.has(step.counted);
    const started = performance.now();
    try {
      const { body } = await service.get(step.path);
      responses.set(session, body);
      if (step.counted !== undefined) answered.add(step.counted);
    } catch (error) {
      responses.set(session, emptyPage);
      // 404: the writer has deleted the customer since it was listed.
      if (!/returned 404/.test(String(error))) latencies.failed += 1;
    }
    latencies[isWarm ? 'warm' : 'cold'].push(performance.now() - started);
  }
}

const emptyPage = '{"pagination":{"total":0}}';
