/** Maps that travel: a state is used on another node, or after a crash, only where that is exact. */
import { expect, test } from 'vitest';
import { isAdoptable } from '../src/maps/state/adopt.ts';
import { advance, newState } from '../src/maps/state/search-state.ts';
import { placeMapOf } from './setup/page-table.ts';
import { SimulatedCluster, type Distortion, type Tally } from './setup/simulated-cluster.ts';
import { SimulatedLog, type Snapshot, type Transaction } from './setup/simulated-log.ts';

const seed = Number(process.env['EXACTNESS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

function simulate(runs: number, distort?: Distortion): Tally {
  const sum: Tally = { used: 0, refused: 0, wrong: 0, forks: 0, lost: 0 };
  for (let i = 0; i < runs; i += 1) {
    const tally = new SimulatedCluster(seed + i, distort).run(120);
    for (const what of Object.keys(sum) as (keyof Tally)[]) sum[what] += tally[what];
  }
  process.stdout.write(`${JSON.stringify({ seed, runs, ...sum })}\n`);
  return sum;
}

test(`no state is wrong where it is adopted, in 1,000 clusters with forks and lost commits (seed ${seed})`, () => {
  const { used, refused, wrong, forks, lost } = simulate(1_000);
  expect(wrong).toBe(0);
  expect(forks, 'nodes saw commits in different orders').toBeGreaterThan(100);
  expect(lost, 'commits were lost and their ids assigned again').toBeGreaterThan(1_000);
  expect(used / (used + refused), 'many states travel').toBeGreaterThan(0.3);
});

test(`without the nonce, states of lost commits would be used (seed ${seed})`, () => {
  const { wrong } = simulate(40, (arrival) => ({ ...arrival, known: true }));
  expect(wrong).toBeGreaterThan(0);
});

/** Takes the first entries for those of the state, as many as it includes. */
const byNumber: Distortion = (arrival, { portable }, here) => {
  const all = here.transactionsSince(portable!.since);
  const known = all.slice(0, portable!.seen.length);
  const news = here.newsSince({ snapshot: { xmax: portable!.since, xip: [] }, seen: known });
  return { ...arrival, ...news, seen: known.length };
};

test(`compared by number, states would be wrong where nodes saw another order (seed ${seed})`, () => {
  expect(simulate(40, byNumber).wrong).toBeGreaterThan(0);
});

test('a state whose log was trimmed behind an open transaction stays on its node', () => {
  const log = new SimulatedLog(9);
  const held = log.begin();
  log.identify(held);
  insert(log, 1);
  const trimmer = log.begin();
  log.trim(trimmer, 0, 99);
  insert(log, 2);
  // It sees the witness, and the entry that is being trimmed.
  const between = log.standbySnapshot(log.committed.length);
  commit(log, trimmer);
  const here = log.snapshot();
  const state = newState(here.moment, placeMapOf(here.places));
  expect(between.transactionsSince(held.xid!).length).toBe(2);
  expect(here.transactionsSince(held.xid!).length).toBe(1);
  expect(state.portable).toBeUndefined();
});

test('primary and standby see two commits in different orders: 495 customers, not 493', () => {
  const log = new SimulatedLog(9);
  for (let i = 0; i < 492; i += 1) insert(log, i);
  const [first, second] = [log.begin(), log.begin()];
  for (const place of [1_000, 1_001]) log.insert(first, { place, matches: true });
  log.insert(second, { place: 1_002, matches: true });
  log.writeCommit(first);
  log.writeCommit(second);
  // The primary shows the second and not yet the first; a standby shows them in the order of the WAL.
  log.show(1);
  const primary = log.snapshot();
  const state = newState(primary.moment, placeMapOf(primary.places));
  expect(state.current.total).toBe(493);
  const behind = log.standbySnapshot(log.committed.length - 1);
  expect(behind.places).toHaveLength(494);
  expect(isAdoptable(state, behind.arrivalOf(state.portable!)), 'lacks the second').toBe(false);
  const standby = log.standbySnapshot(log.committed.length);
  const arrival = standby.arrivalOf(state.portable!);
  expect(isAdoptable(state, arrival)).toBe(true);
  expect(advance(state, arrival, arrival).current.total).toBe(495);
  const wrong = byNumber(arrival, state, standby);
  expect(advance(state, wrong, wrong).current.total, 'by number').not.toBe(495);
});

test('after a crash that lost the last commit, its id is assigned again and its state refused', () => {
  const log = new SimulatedLog(9);
  for (let i = 0; i < 3; i += 1) insert(log, i);
  const before = log.snapshot();
  const kept = newState(before.moment, placeMapOf(before.places));
  insert(log, 7);
  const tail = log.snapshot();
  const lost = newState(tail.moment, placeMapOf(tail.places));
  const recovered = log.recover(3);
  insert(recovered, 5);
  insert(recovered, 6);
  const here = recovered.snapshot();
  expect(xids(here)).toEqual(expect.arrayContaining(xids(tail)));
  expect(isAdoptable(lost, here.arrivalOf(lost.portable!))).toBe(false);
  const arrival = here.arrivalOf(kept.portable!);
  expect(isAdoptable(kept, arrival), 'every state whose witness is visible is used').toBe(true);
  expect(advance(kept, arrival, arrival).current.total).toBe(5);
});

const xids = ({ sees }: Snapshot): (bigint | undefined)[] => [...sees].map(({ xid }) => xid);

function insert(log: SimulatedLog, place: number): void {
  const by = log.begin();
  log.insert(by, { place, matches: true });
  commit(log, by);
}

function commit(log: SimulatedLog, by: Transaction): void {
  log.writeCommit(by);
  log.show(0);
}
