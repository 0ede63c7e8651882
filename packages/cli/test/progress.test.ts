import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startProgress, type ProgressOptions } from '../src/progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function paper(columns?: number) {
  const writes: string[] = [];
  const stream: ProgressOptions['stream'] = {
    write: (text: string | Uint8Array) => writes.push(String(text)) > 0,
    ...(columns !== undefined && { isTTY: true, columns }),
  };
  return { writes, stream };
}

/** The line as it stands on the terminal. */
const shown = (write: string | undefined) =>
  write?.replace(/^\r/, '').replaceAll('\x1b[K', '') ?? '';

test('a terminal shows a bar, the share, the count, the rate and the time left', () => {
  const { writes, stream } = paper(100);
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

test('a terminal is drawn to at most ten times a second, however many updates there are', () => {
  const { writes, stream } = paper(100);
  const progress = startProgress({ label: 'Reading', unit: 'bytes', quiet: false, stream });
  for (let done = 0; done < 2_000; done++) {
    vi.advanceTimersByTime(1);
    progress.update(done * 1_000);
  }
  expect(writes.length).toBeLessThanOrEqual(20);
  expect(writes.length).toBeGreaterThan(15);
});

test('work that leaves the clock no turn is drawn all the same', () => {
  const { writes, stream } = paper(100);
  const progress = startProgress({ label: 'Making', unit: 'rows', quiet: false, stream });
  progress.update(1);
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 150);
  progress.update(2);
  clock.mockRestore();
  expect(writes).toHaveLength(1);
});

test('a stall shows as a falling rate, and a start from the middle does not count as speed', () => {
  const { writes, stream } = paper(100);
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
  const { writes, stream } = paper(100);
  const progress = startProgress({ label: 'Reading', unit: 'bytes', quiet: false, stream });
  progress.update(0);
  vi.advanceTimersByTime(900);
  progress.update(3_456_789);
  vi.advanceTimersByTime(100);
  expect(shown(writes.at(-1))).toBe('Reading  3.5 MB  3.5 MB/s');
});

test('no terminal is too narrow for one line, and nothing of it wraps', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.option(fc.integer({ min: 0, max: 1e12 }), { nil: undefined }),
      fc.integer({ min: 0, max: 1e12 }),
      fc.constantFrom('bytes', 'rows'),
      (columns, total, done, unit) => {
        const { writes, stream } = paper(columns);
        const progress = startProgress({ label: 'Importing', total, unit, quiet: false, stream });
        progress.update(0);
        vi.advanceTimersByTime(3_000);
        progress.update(done, 'a note that is long enough to be in the way');
        vi.advanceTimersByTime(200);
        expect(shown(writes.at(-1)).length).toBeLessThan(columns);
        progress.stop();
      },
    ),
  );
});

test('stop leaves an empty line, and nothing is drawn after it', () => {
  const { writes, stream } = paper(80);
  const progress = startProgress({ label: 'Importing', unit: 'rows', quiet: false, stream });
  progress.update(1);
  vi.advanceTimersByTime(500);
  progress.stop();
  const before = writes.length;
  expect(writes.at(-1)).toBe('\r\x1b[K');
  vi.advanceTimersByTime(60_000);
  expect(writes).toHaveLength(before);
});

test('elsewhere than on a terminal there is one plain line in ten seconds', () => {
  const { writes, stream } = paper();
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

test('quiet writes nothing', () => {
  for (const columns of [80, undefined]) {
    const { writes, stream } = paper(columns);
    const progress = startProgress({ label: 'Importing', unit: 'rows', quiet: true, stream });
    progress.update(1);
    vi.advanceTimersByTime(60_000);
    progress.stop();
    expect(writes).toEqual([]);
  }
});
