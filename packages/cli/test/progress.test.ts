import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startProgress, type ProgressOptions } from '../src/progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function fakeStream(columns?: number) {
  const writes: string[] = [];
  const stream: NonNullable<ProgressOptions['stream']> = {
    write: (text: string | Uint8Array) => writes.push(String(text)) > 0,
    ...(columns !== undefined && { isTTY: true, columns }),
  };
  return { writes, stream };
}

/** The line as shown on the terminal. */
const shown = (write: string | undefined) =>
  write?.replace(/^\r/, '').replaceAll('\x1b[K', '') ?? '';

test('a terminal shows a bar, the percentage, the count, the rate and the time left', () => {
  const { writes, stream } = fakeStream(100);
  const progress = startProgress({
    label: 'Importing',
    total: 10_000,
    unit: 'rows',
    quiet: false,
    stream,
  });
  progress.update(0);
  vi.advanceTimersByTime(1_000);
  progress.update(2_500, '3 rejected');
  vi.advanceTimersByTime(1_000);
  expect(shown(writes.at(-1))).toBe(
    `Importing  ${'█'.repeat(7)}${'░'.repeat(23)}  25 %  2,500 rows  1,250 rows/s  00:06 left  3 rejected`,
  );
});

test('a terminal is redrawn at most ten times a second', () => {
  const { writes, stream } = fakeStream(100);
  const progress = startProgress({ label: 'Reading', unit: 'bytes', quiet: false, stream });
  for (let done = 0; done < 2_000; done++) {
    vi.advanceTimersByTime(1);
    progress.update(done * 1_000);
  }
  expect(writes.length).toBeLessThanOrEqual(20);
  expect(writes.length).toBeGreaterThan(15);
});

test('progress is drawn even if the work blocks timers', () => {
  const { writes, stream } = fakeStream(100);
  const progress = startProgress({ label: 'Making', unit: 'rows', quiet: false, stream });
  progress.update(1);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 150);
  progress.update(2);
  clock.mockRestore();
  expect(writes).toHaveLength(1);
});

test('the rate falls during a stall and does not include the records before a resumed start', () => {
  const { writes, stream } = fakeStream(100);
  const progress = startProgress({
    label: 'Importing',
    total: 2_000_000,
    unit: 'rows',
    quiet: false,
    stream,
  });
  progress.update(1_000_000);
  vi.advanceTimersByTime(1_000);
  progress.update(1_000_100);
  vi.advanceTimersByTime(100);
  expect(shown(writes.at(-1))).toContain('  91 rows/s');
  vi.advanceTimersByTime(20_000);
  expect(shown(writes.at(-1))).toContain('  0 rows/s');
  expect(shown(writes.at(-1))).not.toContain('left');
});

test('without a total there is no bar and no time left', () => {
  const { writes, stream } = fakeStream(100);
  const progress = startProgress({ label: 'Reading', unit: 'bytes', quiet: false, stream });
  progress.update(0);
  vi.advanceTimersByTime(900);
  progress.update(3_456_789);
  vi.advanceTimersByTime(100);
  expect(shown(writes.at(-1))).toBe('Reading  3.5 MB  3.5 MB/s');
});

test('the line never wraps, however narrow the terminal', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.option(fc.integer({ min: 0, max: 1e12 }), { nil: undefined }),
      fc.integer({ min: 0, max: 1e12 }),
      fc.constantFrom('bytes', 'rows'),
      (columns, total, done, unit) => {
        const { writes, stream } = fakeStream(columns);
        const progress = startProgress({ label: 'Importing', total, unit, quiet: false, stream });
        progress.update(0);
        vi.advanceTimersByTime(3_000);
        progress.update(done, 'a note that does not fit next to the bar');
        vi.advanceTimersByTime(200);
        expect(shown(writes.at(-1)).length).toBeLessThan(columns);
        progress.stop();
      },
    ),
  );
});

test('stop clears the line, and nothing is drawn afterwards', () => {
  const { writes, stream } = fakeStream(80);
  const progress = startProgress({ label: 'Importing', unit: 'rows', quiet: false, stream });
  progress.update(1);
  vi.advanceTimersByTime(500);
  progress.stop();
  const before = writes.length;
  expect(writes.at(-1)).toBe('\r\x1b[K');
  vi.advanceTimersByTime(60_000);
  expect(writes).toHaveLength(before);
});

test('without a terminal, one plain line is written every ten seconds', () => {
  const { writes, stream } = fakeStream();
  const progress = startProgress({
    label: 'Importing',
    total: 100_000,
    unit: 'rows',
    quiet: false,
    stream,
  });
  for (let second = 0; second <= 25; second++) {
    progress.update(second * 1_000);
    vi.advanceTimersByTime(1_000);
  }
  progress.stop();
  expect(writes).toEqual([
    'Importing: 9 %, 9,000 rows, 900 rows/s, 01:42 left\n',
    'Importing: 19 %, 19,000 rows, 1,000 rows/s, 01:21 left\n',
  ]);
});

test('when all is read, neither a rate nor a time left is shown for what follows', () => {
  const { writes, stream } = fakeStream();
  const progress = startProgress({ label: 'f.csv', total: 5_000, unit: 'bytes', stream });
  progress.update(0);
  vi.advanceTimersByTime(5_000);
  progress.update(5_000, '3 rejected');
  vi.advanceTimersByTime(15_000);
  expect(writes).toEqual(Array(2).fill('f.csv: 100 %, 5.0 kB, 3 rejected\n'));
});

test('quiet writes nothing', () => {
  for (const columns of [80, undefined]) {
    const { writes, stream } = fakeStream(columns);
    const progress = startProgress({ label: 'Importing', unit: 'rows', quiet: true, stream });
    progress.update(1);
    vi.advanceTimersByTime(60_000);
    progress.stop();
    expect(writes).toEqual([]);
  }
});
