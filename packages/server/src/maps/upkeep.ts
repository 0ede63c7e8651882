/**
 * The upkeep of page maps, which requests do not wait for: counts the searches that take long to count
 * before the first request for them, keeps cached maps up to date, and keeps blocks even.
 */
import {
  everyone,
  inEveryOrder,
  inSpan,
  inTrace,
  type Order,
  OrderOffError,
  type Queries,
  type SearchReader,
  sorted,
  type Statement,
  type Terms,
  withFlags,
} from '@clientele/directory';
import { commonSearches } from './common-searches.ts';
import { placeMapThreshold } from './count/count.ts';
import type { PageFinder } from './find-page.ts';
import { ordersOn } from './state/here.ts';
import { momentStatement, type Moment } from './state/search-state.ts';
import { readStored, store, storedTexts } from './count/stored-maps.ts';

export interface UpkeepOptions {
  /** Whether to count common searches ahead of requests. */
  warmUp: boolean;
  searches: SearchReader;
  /** Where maps are stored for other instances. Masked ones are not. */
  primary?: Queries | undefined;
  /** The pause between two rounds, in milliseconds. */
  everyMs?: number | undefined;
  /** Runs until then. */
  signal: AbortSignal;
}

const minute = 60_000;
/** How often to look again which searches are common. */
const commonFor = 60 * minute;
/** How many cached maps are brought up to date, so that the log does not leave them behind. */
const mostRefreshed = 200;
/** The size of a map with flags, compared with one without: four kinds of customers, and a sum. */
const flaggedSize = 5;

interface CommonSearch {
  text: string;
  search: Terms;
}

export async function keepMapsReady(maps: PageFinder, options: UpkeepOptions): Promise<void> {
  const { signal, warmUp, everyMs = minute } = options;
  let common: { searches: CommonSearch[]; until: number } | undefined;
  let warm = false;
  const restored =
    warmUp && maps.view === 'full'
      ? inTrace('restore maps', () => restore(maps, options)).catch(() => [])
      : Promise.resolve([]);
  maps.cache.waitFor(restored);
  const round = async (): Promise<void> => {
    if (warmUp) {
      if (!common || common.until < performance.now()) {
        const known = common ? [] : await restored;
        const searches = known.length > 0 ? known : await findCommon(maps, options);
        common = { searches, until: performance.now() + commonFor };
      }
      // Again every time: a bulk change or a restart of the database has dropped them all.
      for (const { search } of common.searches) await prepare(maps, search, signal);
    }
    for (const all of inEveryOrder(everyone[maps.view])) {
      await maps.cache.recutIfUneven(all, signal).catch(unlessOff);
    }
    for (const search of maps.cache.recent(mostRefreshed)) await refresh(maps, search, signal);
    await inSpan('renew maps', {}, () => renew(maps, signal));
    await storeCommon(maps, common?.searches ?? [], options);
    // Not before everything else was ready for a while.
    if (warm && common) {
      await prepareOrders(maps, signal);
      await prepareFlags(maps, common.searches, signal);
    }
    warm = true;
  };
  while (!signal.aborted) {
    let done = true;
    try {
      await inTrace('upkeep', round);
    } catch {
      // The database is down or busy, which requests report; try again soon.
      done = false;
    }
    await pause(done ? everyMs : Math.min(everyMs, 2_000), signal);
    maps.forgetPages();
  }
}

/**
 * Adopts the maps that another instance has stored: their searches are the common ones. None if that of
 * everyone cannot be adopted, because the others are as old.
 */
async function restore(
  { cache, database }: PageFinder,
  { searches, signal }: UpkeepOptions,
): Promise<CommonSearch[]> {
  const restored: CommonSearch[] = [];
  const bounds = await cache.bounds();
  for (const text of await storedTexts(database.searches, bounds, signal)) {
    const search = await searches.read(text, signal);
    const state = await readStored(database.searches, bounds, text, signal);
    const adopted = search.kind === 'terms' && state && (await cache.offer(search, state, signal));
    if (adopted) restored.push({ text, search });
    else if (text === '') break;
  }
  return restored;
}

async function storeCommon(
  { cache }: PageFinder,
  searches: readonly CommonSearch[],
  { primary, signal }: UpkeepOptions,
): Promise<void> {
  if (!primary || searches.length === 0) return;
  const maps = searches.flatMap(({ text, search }) => {
    const state = cache.peek(search);
    return state ? [{ text, state }] : [];
  });
  // Without a primary, the next round tries again.
  await store(primary, await cache.bounds(), maps, signal).catch(() => undefined);
}

async function findCommon(
  maps: PageFinder,
  { searches, signal }: UpkeepOptions,
): Promise<CommonSearch[]> {
  const { cache, database, view } = maps;
  const all: CommonSearch = { text: '', search: everyone[view] };
  await cache.get(all.search, signal);
  const { customers } = await cache.bounds();
  const { matches, share } = placeMapThreshold;
  // A small table is scanned quickly enough when the first request comes.
  if (customers < matches / share) return [all];
  const found = [all];
  for (const text of await commonSearches(database.searches, view, customers, share, signal)) {
    const search = await searches.read(text, signal);
    if (search.kind === 'terms') found.push({ text, search });
  }
  return found;
}

async function prepare({ cache }: PageFinder, search: Terms, signal: AbortSignal): Promise<void> {
  while (!(await cache.prepare(search, signal))) await pause(1_000, signal);
}

/**
 * Counts everyone with flags, so that a first filter finds its map; once somebody has filtered a search, the common
 * ones too. Half of the memory is left to the searches of requests.
 */
async function prepareFlags(
  maps: PageFinder,
  searches: readonly CommonSearch[],
  signal: AbortSignal,
): Promise<void> {
  const { cache } = maps;
  const used = cache.recent(mostRefreshed).some(({ count, flags }) => count > 0 && flags);
  for (const { search } of searches) {
    const flagged = withFlags(search);
    const map = cache.peek(search)?.current;
    if ((search.count > 0 && !used) || !map || cache.peek(flagged)) continue;
    const { bytes, limitBytes } = cache.held;
    if (bytes + flaggedSize * map.bytes > limitBytes / 2) return;
    await prepare(maps, flagged, signal);
  }
}

const ordersStatement: Statement = { name: 'orders-on', text: `select o.name from ${ordersOn}` };

/** Counts everyone in each order that is on, so that whoever sorts first finds a map. */
async function prepareOrders(maps: PageFinder, signal: AbortSignal): Promise<void> {
  const { cache, database, view } = maps;
  const on = await database.searches.query<{ name: Order }>(ordersStatement, [], signal);
  for (const { name } of on) {
    const all = sorted(everyone[view], `-${name}`);
    const { bytes, limitBytes } = cache.held;
    const size = cache.peek(everyone[view])?.current.bytes ?? 0;
    if (cache.peek(all) || bytes + size > limitBytes / 2) continue;
    await prepare(maps, all, signal).catch(unlessOff);
  }
}

/** Reading any page of it brings a map up to date. */
async function refresh(maps: PageFinder, search: Terms, signal: AbortSignal): Promise<void> {
  await maps.findPage(search, { offset: 0, limit: 1 }, signal).catch(unlessOff);
}

/** Nobody needs the maps of an order that was removed: the first statement that notices drops them. */
function unlessOff(error: unknown): void {
  if (!(error instanceof OrderOffError)) throw error;
}

/** So that maps outlive a restart of the database although the log was emptied. */
async function renew({ cache, database, view }: PageFinder, signal: AbortSignal): Promise<void> {
  const [moment] = await database.lists.query<Moment>(momentStatement[view], [], signal);
  const horizon = BigInt(moment!.horizon);
  for (const search of cache.recent(mostRefreshed)) {
    await cache.renew(search, ({ xid }) => xid >= horizon, signal);
  }
}

/** So that no entry of the log so far is needed any more, and each can be blanked without outdating a map. */
export async function catchUp(
  { cache, database, view }: PageFinder,
  signal: AbortSignal,
): Promise<void> {
  const [moment] = await database.lists.query<Moment>(momentStatement[view], [], signal);
  const latest = moment!.witnessed!.nonce;
  for (const search of cache.recent(mostRefreshed)) {
    await cache.renew(search, ({ nonce }) => nonce === latest, signal);
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
