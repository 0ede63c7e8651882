import { list, searchPath } from '../list-requests.ts';
import type { Service } from '../service.ts';
import { median, summarise } from '../statistics.ts';
import { writeEverySecond } from '../writer.ts';
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
    row('f', 'warm search with 200 searchable changes/s ÷ without', median(ratios), 3, {
      quiet,
      busy,
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
    row('i', 'p99 of lookups during cold broad searches ÷ without', median(ratios), 3, {
      quiet,
      busy,
      scans,
      ratios,
    }),
  ];
}
