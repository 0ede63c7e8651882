/** The highest rate of useful responses, and what becomes of it when three times as many requests arrive. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CustomersDatabase } from '../customers-database.ts';
import { list, searchPath } from '../list-requests.ts';
import { randomNumbers, searchedTexts } from '../session-mix.ts';
import { tally, times, type Client, type Sent, type Target } from './load.ts';

const keys = 8;
/** The peak: the best rate of these many clients, each of which waits for its responses, with few refusals. */
const clientCounts = [2, 4, 8];
const refusedAtPeak = 0.02;
const factor = 3;
const tickMs = 5;

interface MixedSent extends Sent {
  kind: 'lookup' | 'list' | 'search';
}

/** 40 % lookups, 30 % pages of the list and 30 % searches that nobody has made before. */
async function* requests(database: CustomersDatabase, customers: number) {
  const ids = await database.query<{ uuid: string }>('select uuid from customers limit 500');
  const names = await searchedTexts(database, customers);
  const starts = [...new Set(names.map((name) => name.slice(0, 4).trimEnd()))];
  const numbers = randomNumbers(1);
  const draw = (count: number): number => Math.floor(numbers.next().value * count);
  for (let i = 0; ; i += 1) {
    const kind = i % 10 < 4 ? 'lookup' : i % 10 < 7 ? 'list' : 'search';
    if (kind === 'lookup') yield { kind, path: `${list}/${ids[draw(ids.length)]!.uuid}` } as const;
    else if (kind === 'list') yield { kind, path: `${list}?page=${1 + draw(400)}` } as const;
    else {
      const text = `${starts[draw(starts.length)]!} ${starts[draw(starts.length)]!} ${draw(10)}`;
      yield { kind, path: searchPath(text) } as const;
    }
  }
}

export async function threeTimes(
  target: Target,
  database: CustomersDatabase,
  { customers, seconds }: { customers: number; seconds: number },
) {
  const mix = requests(database, customers);
  const clients: Client[] = [];
  while (clients.length < keys) clients.push(await target.newClient());
  const send = async (turn: number): Promise<MixedSent> => {
    const { value } = await mix.next();
    const { kind, path } = value!;
    return { kind, ...(await clients[turn % keys]!(path)) };
  };

  const closedLoop = async (clientCount: number, ms: number): Promise<MixedSent[]> => {
    const all: MixedSent[] = [];
    const end = performance.now() + ms;
    const client = async (turn: number): Promise<void> => {
      while (performance.now() < end) all.push(await send(turn));
    };
    await Promise.all(Array.from({ length: clientCount }, (_, turn) => client(turn)));
    return all;
  };
  await closedLoop(8, 2_000);
  const peakMs = Math.max(4_000, seconds * 200);
  let peak: MixedSent[] = [];
  for (const count of clientCounts) {
    const sent = await closedLoop(count, peakMs);
    const sustained = accepted(sent).length >= (1 - refusedAtPeak) * sent.length;
    const best = accepted(sent).length > accepted(peak).length;
    if (peak.length === 0 || (sustained && best)) peak = sent;
  }
  const peakRate = (1_000 * accepted(peak).length) / peakMs;

  const sending: Promise<MixedSent>[] = [];
  const start = performance.now();
  for (let now = start; now < start + seconds * 1_000; now = performance.now()) {
    const due = ((now - start) / 1_000) * peakRate * factor;
    while (sending.length < due) sending.push(send(sending.length));
    await sleep(tickMs);
  }
  const overload = await Promise.all(sending);
  const refused = overload.filter(({ status }) => status === 429 || status === 503);
  const lookups = overload.filter(({ kind }) => kind === 'lookup');
  return {
    peakRate,
    offered: overload.length / seconds,
    goodput: accepted(overload).length / seconds / peakRate,
    peakP99: times(accepted(peak)).p99,
    overloadP99: times(accepted(overload)).p99,
    p99: times(accepted(overload)).p99 / times(accepted(peak)).p99,
    refusedP99: refused.length === 0 ? 0 : times(refused).p99,
    refusedMax: refused.length === 0 ? 0 : times(refused).max,
    lookups: accepted(lookups).length / lookups.length,
    atPeak: tally(peak),
    byKind: Object.fromEntries(
      (['lookup', 'list', 'search'] as const).map((kind) => [
        kind,
        tally(overload.filter((sent) => sent.kind === kind)),
      ]),
    ),
  };
}

const accepted = <T extends Sent>(sent: readonly T[]): T[] =>
  sent.filter(({ status }) => status === 200);
