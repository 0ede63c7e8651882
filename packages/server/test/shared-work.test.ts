import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RequestCoalescer } from '../src/customers/request-coalescer.ts';
import { SharedWork } from '../src/customers/shared-work.ts';
import { QueryAbortedError } from '../src/db/errors.ts';

interface Work {
  key: string;
  began: number;
  signal: AbortSignal;
  end: PromiseWithResolvers<number>;
  over: boolean;
}

interface Asker {
  key: string;
  asked: number;
  leave: AbortController;
  left: boolean;
  got?: number;
  failed?: unknown;
}

const step = fc.record({
  what: fc.constantFrom('ask', 'ask', 'ask', 'leave', 'leave', 'finish', 'finish', 'fail', 'rest'),
  which: fc.nat(99),
});

/** The turn after the one in which a ride gathers. */
async function departure(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

test('rides: no answer is older than its question, and what nobody waits for is given up', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      let now = 0;
      const rides = new RequestCoalescer<number>();
      const works: Work[] = [];
      const askers: Asker[] = [];
      const waits: Promise<void>[] = [];

      const ask = (key: string): void => {
        const asker: Asker = { key, asked: ++now, leave: new AbortController(), left: false };
        askers.push(asker);
        const wait = rides.join(key, asker.leave.signal, (signal) => {
          const end = Promise.withResolvers<number>();
          works.push({ key, began: ++now, signal, end, over: false });
          // As the database does it: a cancelled query ends in an error, though not at once.
          return end.promise;
        });
        waits.push(
          wait.then(
            (began) => void (asker.got = began),
            (error: unknown) => void (asker.failed = error),
          ),
        );
      };
      const end = (work: Work | undefined, failing: boolean): void => {
        if (!work) return;
        work.over = true;
        if (failing || work.signal.aborted) work.end.reject(new Error('failed'));
        else work.end.resolve(work.began);
      };
      const leave = (asker: Asker | undefined): void => {
        if (!asker) return;
        asker.left = true;
        asker.leave.abort();
      };
      const running = (): Work[] => works.filter(({ over }) => !over);
      const waiting = (): Asker[] =>
        askers.filter((one) => one.got === undefined && one.failed === undefined && !one.left);
      const pick = <T>(from: readonly T[], which: number): T | undefined =>
        from[which % from.length];

      for (const { what, which } of steps) {
        if (what === 'ask') ask(which % 3 ? 'a' : 'b');
        if (what === 'leave') leave(pick(waiting(), which));
        if (what === 'finish' || what === 'fail') end(pick(running(), which), what === 'fail');
        // Otherwise the next step comes before anybody has noticed this one.
        if (what === 'rest') {
          await departure();
          for (const { key } of running().filter(({ signal }) => !signal.aborted)) {
            expect(
              waiting().some((one) => one.key === key),
              'somebody waits for it',
            ).toBe(true);
          }
          for (const key of ['a', 'b']) {
            const wanted = running().filter((work) => work.key === key && !work.signal.aborted);
            expect(wanted.length, 'one at a time').toBeLessThanOrEqual(1);
          }
        }
      }
      await departure();
      for (let left = 100; running().length + waiting().length > 0; left -= 1) {
        expect(left, 'everybody gets an end').toBeGreaterThan(0);
        for (const work of running()) end(work, false);
        await departure();
      }
      await Promise.all(waits);
      for (const { got, failed, asked, left, key } of askers) {
        if (got !== undefined) {
          expect(got, 'began after the question').toBeGreaterThan(asked);
          expect(works.find(({ began }) => began === got)?.key).toBe(key);
        } else if (failed instanceof QueryAbortedError) expect(left).toBe(true);
        else expect(failed).toEqual(new Error('failed'));
      }
      expect(rides.size, 'nothing is left behind').toBe(0);
    }),
    { numRuns: 1_000 },
  );
});

test('those who ask while an answer is being made share the next', async () => {
  const rides = new RequestCoalescer<number>();
  const ends: PromiseWithResolvers<number>[] = [];
  const ask = () =>
    rides.join('a', new AbortController().signal, () => {
      const end = Promise.withResolvers<number>();
      ends.push(end);
      return end.promise;
    });
  const first = Promise.all([ask(), ask()]);
  await departure();
  expect(ends, 'who asks in the same turn shares one').toHaveLength(1);
  const rest = [ask(), ask(), ask()];
  await departure();
  expect(ends).toHaveLength(1);
  ends[0]!.resolve(1);
  expect(await first).toEqual([1, 1]);
  await departure();
  expect(ends).toHaveLength(2);
  ends[1]!.resolve(2);
  expect(await Promise.all(rest)).toEqual([2, 2, 2]);
});

test('who comes while abandoned work winds down is served, and not by that work', async () => {
  const rides = new RequestCoalescer<string>();
  const leave = new AbortController();
  const end = Promise.withResolvers<string>();
  const first = rides.join('a', leave.signal, () => end.promise);
  leave.abort();
  await expect(first).rejects.toBeInstanceOf(QueryAbortedError);
  const second = rides.join('a', new AbortController().signal, async () => 'new');
  end.resolve('old');
  expect(await second).toBe('new');
});

test('shared work: only when the last has left is it given up, and who has left already never joins', async () => {
  const end = Promise.withResolvers<number>();
  let signal: AbortSignal | undefined;
  const work = new SharedWork((wanted) => {
    signal = wanted;
    return end.promise;
  });
  const [one, two] = [new AbortController(), new AbortController()];
  const waits = [work.join(one.signal), work.join(two.signal)];
  one.abort();
  await expect(waits[0]).rejects.toBeInstanceOf(QueryAbortedError);
  expect(signal!.aborted).toBe(false);
  two.abort();
  await expect(waits[1]).rejects.toBeInstanceOf(QueryAbortedError);
  expect(signal!.aborted).toBe(true);
  expect(work.abandoned).toBe(true);
  await expect(new SharedWork(() => end.promise).join(AbortSignal.abort())).rejects.toBeInstanceOf(
    QueryAbortedError,
  );
});
