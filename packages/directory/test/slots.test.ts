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

test('a freed slot goes to each waiting key in turn, however many of its callers wait', async () => {
  const slots = new Slots(1);
  await slots.take(0, undefined, 'greedy');
  const served: string[] = [];
  const wait = (key: string, n: number) =>
    void slots.take(300, undefined, key).then(() => served.push(`${key}${n}`));
  for (let n = 1; n <= 4; n += 1) wait('greedy', n);
  wait('a', 1);
  wait('b', 1);
  wait('b', 2);
  let holder = 'greedy';
  while (slots.waiting > 0) {
    slots.give(holder);
    await vi.advanceTimersByTimeAsync(0);
    holder = served.at(-1)!.slice(0, -1);
  }
  expect(served).toEqual(['greedy1', 'a1', 'b1', 'greedy2', 'b2', 'greedy3', 'greedy4']);
});

test('a key that holds all it may leaves free slots to others, and waits for its own', async () => {
  const slots = new Slots(4, { perKey: 2 });
  await slots.take(0, undefined, 'greedy');
  await slots.take(0, undefined, 'greedy');
  expect([slots.isSpent('greedy'), slots.isSpent('other')]).toEqual([true, false]);
  const third = slots.take(300, undefined, 'greedy');
  expect([slots.taken, slots.waiting]).toEqual([2, 1]);
  expect(await slots.take(0, undefined, 'other')).toBe(true);
  slots.give('other');
  expect([slots.taken, slots.waiting], 'the slot of another key is not its own').toEqual([2, 1]);
  slots.give('greedy');
  expect(await third).toBe(true);
  expect([slots.taken, slots.waiting]).toEqual([2, 0]);
});

test('work of nobody has no share: only the totals limit it', async () => {
  const slots = new Slots(3, { perKey: 1, waiting: 2, waitingPerKey: 1 });
  for (let i = 0; i < 3; i += 1) expect(await slots.take(0)).toBe(true);
  const waits = [slots.take(10), slots.take(10)];
  expect(slots.waiting).toBe(2);
  expect([slots.isSpent(''), slots.full]).toEqual([false, true]);
  expect(await slots.take(10)).toBe(false);
  await vi.advanceTimersByTimeAsync(10);
  expect(await Promise.all(waits)).toEqual([false, false]);
});

/** Random operations on slots; `who` is the number of a `take`. */
const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('take' as const), wait: fc.nat(50), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('give' as const), key }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), who: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pass' as const), time: fc.nat(40) }) },
);
const limits = fc.record({
  size: fc.integer({ min: 1, max: 4 }),
  perKey: fc.integer({ min: 1, max: 4 }),
  waiting: fc.integer({ min: 0, max: 6 }),
  waitingPerKey: fc.integer({ min: 0, max: 3 }),
});

test('slots follow a simple model of keys that take turns, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (limits, steps) => {
      const { size, perKey, waiting, waitingPerKey } = limits;
      const slots = new Slots(size, limits);
      const controllers: AbortController[] = [];
      const answers: (boolean | undefined)[] = [];
      // The model: who waits and until when, whose turn is next, and the result of each `take`.
      const expected: (boolean | undefined)[] = [];
      let queue: { who: number; key: string; until: number }[] = [];
      let turns: string[] = [];
      const held: Record<string, number> = { a: 0, b: 0, c: 0 };
      const taken = () => held['a']! + held['b']! + held['c']!;
      const leave = (gone: (waiter: { who: number; until: number }) => boolean) => {
        for (const waiter of queue.filter(gone)) expected[waiter.who] = false;
        queue = queue.filter((waiter) => !gone(waiter));
        turns = turns.filter((key) => queue.some((waiter) => waiter.key === key));
      };
      let now = 0;

      for (const next of steps) {
        if (next.do === 'take') {
          const { key } = next;
          const who = answers.push(undefined) - 1;
          const controller = new AbortController();
          controllers.push(controller);
          void slots.take(next.wait, controller.signal, key).then((got) => (answers[who] = got));
          const ahead = queue.filter((waiter) => waiter.key === key).length;
          if (taken() < size && held[key]! < perKey) {
            held[key]! += 1;
            expected[who] = true;
          } else if (queue.length >= waiting || ahead >= waitingPerKey) {
            expected[who] = false;
          } else {
            queue.push({ who, key, until: now + next.wait });
            if (ahead === 0) turns.push(key);
            expected[who] = undefined;
          }
        } else if (next.do === 'give') {
          if (held[next.key] === 0) continue;
          slots.give(next.key);
          held[next.key]! -= 1;
          const turn = turns.find((key) => held[key]! < perKey);
          if (turn !== undefined) {
            const { who } = queue.find((waiter) => waiter.key === turn)!;
            queue = queue.filter((waiter) => waiter.who !== who);
            const more = queue.some((waiter) => waiter.key === turn);
            turns = [...turns.filter((key) => key !== turn), ...(more ? [turn] : [])];
            held[turn]! += 1;
            expected[who] = true;
          }
        } else if (next.do === 'abort') {
          controllers[next.who]?.abort();
          leave(({ who }) => who === next.who);
        } else {
          now += next.time;
          await vi.advanceTimersByTimeAsync(next.time);
          leave(({ until }) => until <= now);
        }
        await Promise.resolve();
        await Promise.resolve();
        expect({ answers, taken: slots.taken, waiting: slots.waiting }).toEqual({
          answers: expected,
          taken: taken(),
          waiting: queue.length,
        });
      }
      await vi.runAllTimersAsync();
      expect([slots.waiting, vi.getTimerCount()]).toEqual([0, 0]);
    }),
    { numRuns: 2_000 },
  );
});
