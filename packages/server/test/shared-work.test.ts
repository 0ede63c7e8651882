import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { RequestCoalescer } from '../src/responses/request-coalescer.ts';
import { SharedWork } from '../src/responses/shared-work.ts';
import { QueryAbortedError } from '@clientele/directory';

interface Work {
  key: string;
  began: number;
  signal: AbortSignal;
  end: PromiseWithResolvers<number>;
  over: boolean;
}

interface Caller {
  key: string;
  joined: number;
  leave: AbortController;
  left: boolean;
  got?: number;
  failed?: unknown;
}

const step = fc.record({
  what: fc.constantFrom(
    'join',
    'join',
    'join',
    'leave',
    'leave',
    'finish',
    'finish',
    'fail',
    'rest',
  ),
  which: fc.nat(99),
});

/** Waits until gathered callers have started their work. */
async function nextStart(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

test('coalescing: no result is older than its request, and work that nobody waits for is cancelled', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      let now = 0;
      const coalescer = new RequestCoalescer<number>();
      const works: Work[] = [];
      const callers: Caller[] = [];
      const waits: Promise<void>[] = [];

      const join = (key: string): void => {
        const caller: Caller = { key, joined: ++now, leave: new AbortController(), left: false };
        callers.push(caller);
        const wait = coalescer.join(key, caller.leave.signal, (signal) => {
          const end = Promise.withResolvers<number>();
          works.push({ key, began: ++now, signal, end, over: false });
          // Like a query: when cancelled it ends with an error, but not at once.
          return end.promise;
        });
        waits.push(
          wait.then(
            (began) => void (caller.got = began),
            (error: unknown) => void (caller.failed = error),
          ),
        );
      };
      const end = (work: Work | undefined, failing: boolean): void => {
        if (!work) return;
        work.over = true;
        if (failing || work.signal.aborted) work.end.reject(new Error('failed'));
        else work.end.resolve(work.began);
      };
      const leave = (caller: Caller | undefined): void => {
        if (!caller) return;
        caller.left = true;
        caller.leave.abort();
      };
      const running = (): Work[] => works.filter(({ over }) => !over);
      const waiting = (): Caller[] =>
        callers.filter((one) => one.got === undefined && one.failed === undefined && !one.left);
      const pick = <T>(from: readonly T[], which: number): T | undefined =>
        from[which % from.length];

      for (const { what, which } of steps) {
        if (what === 'join') join(which % 3 ? 'a' : 'b');
        if (what === 'leave') leave(pick(waiting(), which));
        if (what === 'finish' || what === 'fail') end(pick(running(), which), what === 'fail');
        // Otherwise the next step happens before this one takes effect.
        if (what === 'rest') {
          await nextStart();
          for (const { key } of running().filter(({ signal }) => !signal.aborted)) {
            expect(
              waiting().some((one) => one.key === key),
              'some caller waits for it',
            ).toBe(true);
          }
          for (const key of ['a', 'b']) {
            const wanted = running().filter((work) => work.key === key && !work.signal.aborted);
            expect(wanted.length, 'one at a time').toBeLessThanOrEqual(1);
          }
        }
      }
      await nextStart();
      for (let left = 100; running().length + waiting().length > 0; left -= 1) {
        expect(left, 'every caller gets a result').toBeGreaterThan(0);
        for (const work of running()) end(work, false);
        await nextStart();
      }
      await Promise.all(waits);
      for (const { got, failed, joined, left, key } of callers) {
        if (got !== undefined) {
          expect(got, 'began after the request').toBeGreaterThan(joined);
          expect(works.find(({ began }) => began === got)?.key).toBe(key);
        } else if (failed instanceof QueryAbortedError) expect(left).toBe(true);
        else expect(failed).toEqual(new Error('failed'));
      }
      expect(coalescer.size, 'nothing is left behind').toBe(0);
    }),
    { numRuns: 1_000 },
  );
});

test('requests that arrive while work is running share the next run', async () => {
  const coalescer = new RequestCoalescer<number>();
  const ends: PromiseWithResolvers<number>[] = [];
  const join = () =>
    coalescer.join('a', new AbortController().signal, () => {
      const end = Promise.withResolvers<number>();
      ends.push(end);
      return end.promise;
    });
  const first = Promise.all([join(), join()]);
  await nextStart();
  expect(ends, 'requests in the same turn share one run').toHaveLength(1);
  const rest = [join(), join(), join()];
  await nextStart();
  expect(ends).toHaveLength(1);
  ends[0]!.resolve(1);
  expect(await first).toEqual([1, 1]);
  await nextStart();
  expect(ends).toHaveLength(2);
  ends[1]!.resolve(2);
  expect(await Promise.all(rest)).toEqual([2, 2, 2]);
});

test('a request that arrives while abandoned work winds down gets new work', async () => {
  const coalescer = new RequestCoalescer<string>();
  const leave = new AbortController();
  const end = Promise.withResolvers<string>();
  const first = coalescer.join('a', leave.signal, () => end.promise);
  leave.abort();
  await expect(first).rejects.toBeInstanceOf(QueryAbortedError);
  const second = coalescer.join('a', new AbortController().signal, async () => 'new');
  end.resolve('old');
  expect(await second).toBe('new');
});

test('shared work is cancelled only when its last caller leaves, and an aborted caller never joins', async () => {
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
