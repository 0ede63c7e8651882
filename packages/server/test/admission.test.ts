/** Admission: reads and searches apart, fair by key, bounded in number and in time. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { currentKey, QueryAbortedError } from '@clientele/directory';
import { Admission, type RequestKind } from '../src/http/admission.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const wait = 25;
const limits = { reads: 8, searches: 6, perKey: 4 };
const forever = new AbortController().signal;

/** Requests that run until they are ended. */
function start(admission: Admission) {
  const running: (() => void)[] = [];
  const codes: string[] = [];
  return {
    running,
    codes,
    send: (kind: RequestKind, key: string, signal = forever): Promise<void> => {
      const work = () => new Promise<void>((resolve) => running.push(resolve));
      return admission.admit(kind, key, signal, work).catch((error: { code: string }) => {
        codes.push(error.code);
      });
    },
    /** Lets everything that does not need time happen. */
    settle: () => vi.advanceTimersByTimeAsync(0),
    refusedAfterWait: () => vi.advanceTimersByTimeAsync(wait),
  };
}

test('one key gets only its share, is refused with 429, and leaves the rest to others', async () => {
  const { send, running, codes, settle, refusedAfterWait } = start(new Admission(limits, wait));
  for (let i = 0; i < 20; i += 1) void send('reads', 'greedy');
  await settle();
  expect(running).toHaveLength(4);
  expect(codes, 'four wait, the others are refused at once').toEqual(
    Array(12).fill('rate-limited'),
  );
  await refusedAfterWait();
  expect(codes, 'after a short wait').toEqual(Array(16).fill('rate-limited'));
  for (let i = 0; i < 4; i += 1) void send('reads', 'other');
  await settle();
  expect(running).toHaveLength(8);
});

test('one key gets at most three quarters of the places for searches', async () => {
  const { send, running, settle } = start(new Admission({ ...limits, searches: 4 }, wait));
  for (let i = 0; i < 20; i += 1) void send('searches', 'greedy');
  await settle();
  expect(running).toHaveLength(3);
});

test('without a limit per key, one key may have all places, and then the instance is full', async () => {
  const admission = new Admission({ ...limits, perKey: Infinity }, wait);
  const { send, running, codes, settle, refusedAfterWait } = start(admission);
  for (let i = 0; i < 20; i += 1) void send('searches', 'only');
  await settle();
  expect(running).toHaveLength(6);
  await refusedAfterWait();
  expect(codes).toEqual(Array(14).fill('overloaded'));
});

test('searches do not take the places of reads, nor reads those of searches', async () => {
  const admission = new Admission(limits, wait);
  const { send, running, settle } = start(admission);
  for (const key of 'abcdef') for (let i = 0; i < 3; i += 1) void send('searches', key);
  await settle();
  expect(running).toHaveLength(6);
  for (const key of 'abcdef') for (let i = 0; i < 3; i += 1) void send('reads', key);
  await settle();
  expect(running).toHaveLength(14);
  expect([admission.places.reads.taken, admission.places.searches.taken]).toEqual([8, 6]);
});

test('when all places are taken, a key that has few of them is refused with 503', async () => {
  const admission = new Admission(limits, wait);
  const { send, codes, settle, refusedAfterWait } = start(admission);
  for (const key of 'abcd') for (let i = 0; i < 2; i += 1) void send('reads', key);
  await settle();
  void send('reads', 'e');
  expect(() => admission.refuseIfFull('reads')).not.toThrow();
  await refusedAfterWait();
  expect(codes).toEqual(['overloaded']);
  for (const key of 'efghijkl') void send('reads', key);
  await settle();
  expect(() => admission.refuseIfFull('reads')).toThrow('overloaded');
  expect(() => admission.refuseIfFull('searches')).not.toThrow();
});

test('a request that waits gets the next free place, on behalf of its own key', async () => {
  const admission = new Admission({ ...limits, reads: 1 }, wait);
  const keys: string[] = [];
  const end = Promise.withResolvers<void>();
  const first = admission.admit('reads', 'first', forever, () => end.promise);
  const second = admission.admit('reads', 'second', forever, async () => {
    await Promise.resolve();
    keys.push(currentKey());
  });
  end.resolve();
  await Promise.all([first, second]);
  expect([keys, currentKey()]).toEqual([['second'], '']);
  expect(admission.places.reads.taken).toBe(0);
});

test('a place is free again when the work fails, and a client that leaves stops waiting', async () => {
  const admission = new Admission({ ...limits, reads: 1 }, wait);
  const failing = admission.admit('reads', 'a', forever, () => Promise.reject(new Error('failed')));
  await expect(failing).rejects.toThrow('failed');
  expect(admission.places.reads.taken).toBe(0);
  const { send } = start(admission);
  void send('reads', 'a');
  const leave = new AbortController();
  const left = admission.admit('reads', 'b', leave.signal, () => Promise.resolve());
  leave.abort();
  await expect(left).rejects.toBeInstanceOf(QueryAbortedError);
  expect(admission.places.reads.waiting).toBe(0);
});
