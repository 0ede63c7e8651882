/** Compares rows that are read before their total, and that total, with the table in the snapshot of the rows. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WireCustomerList } from '@clientele/contract';
import type { CustomerList } from '../../src/customers/list.ts';
import { type ListQuery, type ReadLanes, RowsOutdatedError, type View } from '@clientele/directory';
import { lockCustomers } from '../../src/maps/state/search-state.ts';
import { readTruth, refusals, uuidsOf, type Truth } from './exactness.ts';
import { Random, randomFilters, sampleSearches, sorts } from '@clientele/sandbox/testing';
import { firstRowsWithin } from './within.ts';

export interface RowsFirstChecks {
  /** A new list has counted nothing. */
  lists: { lanes: ReadLanes; view: View; list: () => CustomerList }[];
  checks: number;
  seed: number;
  /** Uses the total of a later snapshot, to show that the comparison notices. */
  twoSnapshots?: boolean;
}

export interface RowsFirstResult {
  checked: number;
  /** Totals that were another one when the search was counted. */
  moved: number;
  /** Cut short, because the log could not say how many there were, or refused by the database. */
  refused: number;
  differences: unknown[];
}

export async function checkRowsFirst(options: RowsFirstChecks): Promise<RowsFirstResult> {
  const { lists, checks, seed, twoSnapshots = false } = options;
  const result: RowsFirstResult = { checked: 0, moved: 0, refused: 0, differences: [] };
  const signal = AbortSignal.timeout(600_000 + checks * 300);

  const check = async (which: number, random: Random): Promise<void> => {
    const { lanes, view, list: newList } = lists[which]!;
    const list = newList();
    const query = randomQuery(random);
    // The table is read in the snapshot of the rows, which then ends: the count comes later.
    const read = await lanes.lists.snapshot(async (run) => {
      await run(lockCustomers[view], []);
      const first = await firstRowsWithin(list, run, query, signal);
      return first && { ...first, truth: await readTruth(run, query, view) };
    }, signal);
    if (!read) return;
    await sleep(random.pick([0, 0, 20, 100]));
    const then = await read.counted();
    const { body } = await list.page({ ...query, page: 1, perPage: 1 }, signal);
    const now = (JSON.parse(body.toString()) as WireCustomerList).pagination.total;
    if (then !== now) result.moved += 1;
    const got: Truth = {
      total: twoSnapshots ? now : then,
      uuids: uuidsOf(Buffer.from(`{"data":[${read.customers}]}`)),
    };
    result.checked += 1;
    const shown = read.shown.toString('hex');
    if (shown !== got.uuids.join('').replaceAll('-', '')) result.differences.push({ shown, got });
    if (JSON.stringify(got) !== JSON.stringify(read.truth)) {
      result.differences.push({ seed, view, query, got, truth: read.truth });
    }
  };

  const reader = async (which: number, random: Random): Promise<void> => {
    while (result.checked < checks) {
      try {
        await check(which, random);
      } catch (error) {
        const isRefused = [RowsOutdatedError, ...refusals].some((kind) => error instanceof kind);
        if (!isRefused) throw error;
        result.refused += 1;
        if (result.refused > checks) {
          throw new Error('most answers were cut short or refused', { cause: error });
        }
      }
    }
  };
  await Promise.all(
    lists.flatMap((_, which) =>
      [0, 1].map((i) => reader(which, new Random(seed + 100 * which + i))),
    ),
  );
  return result;
}

function randomQuery(random: Random): ListQuery {
  const perPage = random.pick([1, 3, 7, 25]);
  return {
    ...(random.chance(0.5) && { filters: randomFilters(random) }),
    ...(random.chance(0.4) && { sort: random.pick(sorts) }),
    search: random.pick(sampleSearches),
    perPage,
    page: random.pick([1, 1, 1, 2, 5]),
  };
}
