import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccessKey } from '@clientele/sandbox';
import { list } from '../list-requests.ts';
import { requestRowsFirst } from '../rows-first-client.ts';
import { startService, type Service } from '../service.ts';
import { person, searchedTexts, type Session } from '../session-mix.ts';
import { summarise } from '../statistics.ts';
import { mixEverySecond } from '../writer.ts';
import { row, type Bench, type Row } from './measure.ts';
import { storeMaps } from './new-instance.ts';

const people = 20;
const seconds = 40;

/** Those of an installation that sets none, where `startService` sets others. */
const defaults = {
  CLIENTELE_RATE_READS: '3000',
  CLIENTELE_RATE_SEARCHES: '600',
  CLIENTELE_CONCURRENCY: '10',
};

interface Tally {
  /** Of searches whose total somebody has received before. */
  warm: number[];
  cold: number[];
  /** With 429 or 503. */
  refused: number;
  failed: number;
}

/**
 * x, y: people who type, and leave a search behind when they type on, while rows are written. An earlier
 * instance has counted the common searches, and these adopt its counts. Each person has a key, and the service its
 * defaults; then all have the key of a backend, which has to be given higher limits than a person.
 */
export async function typing(bench: Bench): Promise<Row[]> {
  bench.say('waiting until the maps of common searches are stored');
  await storeMaps(bench.database);
  const ownKeys = await work(bench, people, defaults);
  const oneKey = await work(bench, 1, {});
  return [
    toRow(
      'x',
      `p95 of the wait for cold rows, 20 people type, 200 rows/s written, ms (${limits})`,
      ownKeys,
    ),
    toRow('y', 'the same with one key for all, without limits of requests, ms', oneKey),
  ];
}

function toRow(letter: string, measure: string, tally: Tally): Row {
  const { warm, cold, refused, failed } = tally;
  const raw = { warm: summarise(warm), cold: summarise(cold), refused, failed };
  const result = row(letter, measure, raw.cold.p95, 300, raw);
  const fewRefused = refused <= 0.01 * (warm.length + cold.length + refused);
  const isFast = result.holds === true && raw.warm.p99 <= 50;
  return { ...result, holds: isFast && failed === 0 && fewRefused };
}

const limits = 'warm p99 ≤ 50, refused ≤ 1 %, none failed';

async function work(
  { database, customers, say }: Bench,
  keys: number,
  env: Record<string, string>,
) {
  const texts = await searchedTexts(database, customers);
  const service = await startService(database.url, env);
  const writer = await mixEverySecond(database.url, 200);
  const tally: Tally = { warm: [], cold: [], refused: 0, failed: 0 };
  try {
    const made = Array.from({ length: keys }, (_, i) =>
      createAccessKey(database.url, `person ${i}`),
    );
    const all = await Promise.all(made);
    await service.getWithRetries(list);
    await writer.writing;
    const counted = new Set<string | undefined>(['', undefined]);
    const end = performance.now() + seconds * 1_000;
    await Promise.all(
      Array.from({ length: people }, (_, i) =>
        takePart(service, person(texts, i + 1), all[i % keys]!, counted, tally, end),
      ),
    );
  } finally {
    await writer.stop();
    await service.stop();
  }
  const { warm, cold, refused, failed } = tally;
  const [w, c] = [summarise(warm), summarise(cold)];
  say(
    `${keys} keys: ${w.count} warm, p99 ${w.p99.toFixed(0)} ms; ${c.count} cold, p50 ${c.p50.toFixed(0)}, ` +
      `p95 ${c.p95.toFixed(0)}, slowest ${c.max.toFixed(0)} ms; ${refused} refused, ${failed} failed`,
  );
  return tally;
}

const emptyPage = '{"pagination":{"total":0}}';
/** Instead of a body that ended before its total. */
const cutShort = '';

async function takePart(
  { origin }: Service,
  session: Session,
  key: string,
  counted: Set<string | undefined>,
  tally: Tally,
  end: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${key}` };
  let body = emptyPage;
  while (performance.now() < end) {
    const { value: step } = session.next(body);
    if (!step) break;
    const isWarm = counted.has(step.counted);
    const started = performance.now();
    const request = requestRowsFirst(new URL(step.path, origin), headers, agent);
    body = emptyPage;
    try {
      const status = await request.rows;
      // 404: the writer has deleted the customer since it was listed.
      if (status === 429 || status === 503) tally.refused += 1;
      else if (status >= 400 && status !== 404) tally.failed += 1;
      else tally[isWarm ? 'warm' : 'cold'].push(performance.now() - started);
      const whole = request.whole.catch(() => cutShort);
      const read = await Promise.race([whole, sleep(step.pauseMs, undefined)]);
      if (read === undefined) {
        request.abandon();
        continue;
      }
      if (read === cutShort) tally.failed += 1;
      else if (status === 200) {
        body = read;
        counted.add(step.counted);
      }
    } catch {
      tally.failed += 1;
    }
    await sleep(step.pauseMs);
  }
  agent.destroy();
}
