/**
 * The upkeep of page maps, which requests do not wait for: counts the searches that take long to count
 * before the first request for them, and keeps blocks even.
 */
import type { SearchReader } from '../search.ts';
import { everyone } from '../search.ts';
import { commonSearches } from './common-searches.ts';
import { placeMapThreshold } from './count.ts';
import type { PageMaps } from './page-maps.ts';

export interface UpkeepOptions {
  /** Whether to count common searches ahead of requests. */
  warmUp: boolean;
  searches: SearchReader;
  /** Runs until then. */
  signal: AbortSignal;
}

export async function keepMapsReady(maps: PageMaps, options: UpkeepOptions): Promise<void> {
  const { signal } = options;
  let warm = !options.warmUp;
  while (!signal.aborted) {
    try {
      if (warm) await maps.cache.recutIfUneven(signal);
      else await warmUp(maps, options);
      warm = true;
    } catch {
      // The database is down or busy, which requests report; try again later.
    }
    await pause(warm ? 60_000 : 2_000, signal);
    maps.forgetPages();
  }
}

async function warmUp(maps: PageMaps, { searches, signal }: UpkeepOptions): Promise<void> {
  const { cache, database } = maps;
  await cache.get(everyone, signal);
  const { customers } = await cache.bounds();
  const { matches, share } = placeMapThreshold;
  // A small table is scanned quickly enough when the first request comes.
  if (customers < matches / share) return;
  for (const text of await commonSearches(database.searches, customers, share, signal)) {
    const search = await searches.read(text, signal);
    if (search.kind !== 'terms') continue;
    while (!(await cache.prepare(search, signal))) await pause(1_000, signal);
  }
}

/** Ends early with the signal, and does not keep the process alive. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener('abort', end, { once: true });
  });
