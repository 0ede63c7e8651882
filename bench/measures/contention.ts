import { list, searchPath } from '../list-requests.ts';
import type { Service } from '../service.ts';
import { summarise, type Summary } from '../statistics.ts';
import { insertEverySecond, writeEverySecond } from '../writer.ts';
import { row, rounds, type Bench, type Row } from './measure.ts';

/** f: a warm search during steady writes. */
export async function searchesDuringWrites({ database }: Bench, service: Service): Promise<Row[]> {
  const path = searchPath('gmail');
  await service.getWithRetries(path);
  await service.latency(path, 50);
  const quiet: number[] = [];
  const busy: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    quiet.push((await service.latency(path, 200)).p50);
    const writer = await writeEverySecond(database.url, 200);
    try {
      await writer.writing;
      busy.push((await service.latency(path, 400)).p50);
    } finally {
      await writer.stop();
    }
  }
  const ratios = busy.map((ms, i) => ms / quiet[i]!);
  return [
    row('f', 'warm search with 200 searchable changes/s ÷ without', ratios, 3, {
      quiet,
      busy,
      ratios,
    }),
  ];
}

/** n: a deep page while inserts move it. The quiet requests follow a commit each, so that none is cached. */
export async function pagesDuringInserts(
  { database, customers, say }: Bench,
  service: Service,
): Promise<Row[]> {
  const page = Math.min(600, Math.floor(customers / 25));
  const path = `${list}?page=${page}`;
  const commit = () => database.commit();
  await service.getWithRetries(path);
  await service.latency(path, 50);
  const quiet: Summary[] = [];
  const busy: Summary[] = [];
  const rates: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    quiet.push(await service.latency(path, 300, commit));
    const writer = await insertEverySecond(database.url, 370);
    try {
      await writer.writing;
      busy.push(await service.latency(path, 600));
    } finally {
      rates.push(await writer.stop());
    }
    // The deletes are new to the map, too. The next round has to start from a map that knows them.
    await service.latency(path, 20, commit);
  }
  say(`n: ${rates.map((rate) => rate.toFixed(0)).join(', ')} inserts/s`);
  const ratios = busy.map(({ p50 }, i) => p50 / quiet[i]!.p50);
  return [
    row('n', `p50 of page ${page} at 370 inserts/s ÷ quiet`, ratios, 2, {
      quiet,
      busy,
      rates,
      ratios,
    }),
  ];
}

/** i: lookups during a continuous sequence of new searches with many matches. */
export async function lookupsDuringScans({ database }: Bench, service: Service): Promise<Row[]> {
  const ids = await database.query<{ uuid: string }>('select uuid from customers limit 200');
  const lookups = async (times: number): Promise<number> => {
    const all: number[] = [];
    for (let i = 0; i < times; i += 1) {
      all.push((await service.get(`${list}/${ids[i % ids.length]!.uuid}`)).ms);
    }
    return summarise(all).p99;
  };
  await lookups(300);
  const letters = [...'abcdefghijklmnoprstuvwyz'];
  const pairs = letters.flatMap((a) => letters.filter((b) => b > a).map((b) => `${a} ${b}`));
  const quiet: number[] = [];
  const busy: number[] = [];
  let scans = 0;
  for (let i = 0; i < 3; i += 1) {
    quiet.push(await lookups(600));
    const scanner = { on: true };
    const scanning = (async () => {
      while (scanner.on) {
        await service.get(searchPath(pairs[scans++ % pairs.length]!)).catch(() => undefined);
      }
    })();
    busy.push(await lookups(600));
    scanner.on = false;
    await scanning;
  }
  const ratios = busy.map((ms, i) => ms / quiet[i]!);
  return [
    row('i', 'p99 of lookups during cold broad searches ÷ without', ratios, 3, {
      quiet,
      busy,
      scans,
      ratios,
    }),
  ];
}
