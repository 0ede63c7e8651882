import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Slots } from '../src/db/slots.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a free slot is taken at once', async () => {
  const slots = new Slots(2);
  expect(await slots.take(0)).toBe(true);
  expect(await slots.take(0)).toBe(true);
  expect([slots.taken, slots.waiting]).toEqual([2, 0]);
});

test('a waiter gives up when its time is up, and not before', async () => {
  const slots = new Slots(1);
  await slots.take(0);
  let answer: boolean | undefined;
  void slots.take(300).then((got) => (answer = got));
  await vi.advanceTimersByTimeAsync(299);
  expect([answer, slots.waiting]).toEqual([undefined, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([answer, slots.waiting]).toEqual([false, 0]);
});

test('a waiter gives up when its signal aborts, and an aborted one takes no slot', async () => {
  const slots = new Slots(1);
  expect(await slots.take(300, AbortSignal.abort())).toBe(false);
  expect(slots.taken).toBe(0);
  await slots.take(0);
  const controller = new AbortController();
  const waiting = slots.take(300, controller.signal);
  controller.abort();
  expect(await waiting).toBe(false);
  expect([slots.taken, slots.waiting, vi.getTimerCount()]).toEqual([1, 0, 0]);
});

/** Random operations on slots; `who` is the number of a `take`. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const), wait: fc.nat(50) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('give' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), who: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pass' as const), time: fc.nat(40) }) },
);

test('no more slots are taken than exist, and waiters are served in order, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (size, steps) => {
        const slots = new Slots(size);
        const controllers: AbortController[] = [];
        const answers: (boolean | undefined)[] = [];
        // A simple model: who waits and until when, and the result of each `take`.
        const expected: (boolean | undefined)[] = [];
        let queue: { who: number; until: number }[] = [];
        let taken = 0;
        let now = 0;

        for (const next of steps) {
          if (next.do === 'take') {
            const who = answers.push(undefined) - 1;
            const controller = new AbortController();
            controllers.push(controller);
            void slots.take(next.wait, controller.signal).then((got) => (answers[who] = got));
            if (taken < size) {
              taken += 1;
              expected[who] = true;
            } else {
              queue.push({ who, until: now + next.wait });
              expected[who] = undefined;
            }
          } else if (next.do === 'give') {
            if (taken === 0) continue;
            slots.give();
            const first = queue.shift();
            if (first) expected[first.who] = true;
            else taken -= 1;
          } else if (next.do === 'abort') {
            controllers[next.who]?.abort();
            if (queue.some(({ who }) => who === next.who)) expected[next.who] = false;
            queue = queue.filter(({ who }) => who !== next.who);
          } else {
            now += next.time;
            await vi.advanceTimersByTimeAsync(next.time);
            for (const { who, until } of queue) if (until <= now) expected[who] = false;
            queue = queue.filter(({ until }) => until > now);
          }
          await Promise.resolve();
          await Promise.resolve();
          expect(slots.taken).toBeLessThanOrEqual(size);
          expect({ answers, taken: slots.taken, waiting: slots.waiting }).toEqual({
            answers: expected,
            taken,
            waiting: queue.length,
          });
        }
        await vi.runAllTimersAsync();
        expect([slots.waiting, vi.getTimerCount()]).toEqual([0, 0]);
      },
    ),
    { numRuns: 1_000 },
  );
});
