/** One key keeps 64 broad searches in flight while another key reads. */
import type { CustomersDatabase } from '../customers-database.ts';
import { searchPath } from '../list-requests.ts';
import { median } from '../statistics.ts';
import { keepSending, readPaths, tally, times, type Sent, type Target } from './load.ts';

const inFlight = 64;
const rounds = 3;

export async function greedyKey(target: Target, database: CustomersDatabase, roundMs: number) {
  const reader = await target.newClient();
  const greedy = await target.newClient();
  const paths = await readPaths(database);
  const broad = broadSearches();
  const reads = async (ms: number): Promise<Sent[]> => {
    const all = [0, 1].map((turn) => keepSending(reader, paths, { ms, turn, pauseMs: 2 }));
    return (await Promise.all(all)).flat();
  };
  await reads(2_000);
  const quiet: number[] = [];
  const busy: number[] = [];
  const got: Sent[] = [];
  const searches: Sent[] = [];
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(times(await reads(roundMs)).p99);
    const attack = Promise.all(
      Array.from({ length: inFlight }, (_, i) =>
        keepSending(greedy, broad, {
          ms: roundMs,
          turn: (round * inFlight + i) * 7,
          pauseMs: 100,
        }),
      ),
    );
    const reading = await reads(roundMs);
    busy.push(times(reading).p99);
    got.push(...reading);
    searches.push(...(await attack).flat());
  }
  return {
    refused: got.filter(({ status }) => status !== 200).length,
    requests: got.length,
    quiet,
    busy,
    ratio: median(busy) / median(quiet),
    searches: tally(searches),
  };
}

/** Different searches that match most customers. */
function broadSearches(): string[] {
  const letters = [...'aeiornstlcdhmu'];
  const texts = letters.flatMap((a) =>
    letters.flatMap((b) => letters.filter((c) => a < b && b < c).map((c) => `${a} ${b} ${c}`)),
  );
  return texts.map((text) => searchPath(text));
}
