/** How far a long operation is: a bar on a terminal, a line now and then in a log. */

export interface ProgressOptions {
  label: string;
  /** Unknown for a pipe: then there is no bar and no time left, but count and rate. */
  total?: number | undefined;
  unit: 'bytes' | 'rows';
  quiet: boolean;
  stream: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };
}

export interface Progress {
  /** `note` says what the count does not, such as how many rows were rejected. */
  update(done: number, note?: string): void;
  /** Leaves the terminal's line empty, for what the command has to say in the end. */
  stop(): void;
}

const redrawAfter = 100;
const logAfter = 10_000;
/** The rate is that of this long: a stall shows, and a start from the middle does not count. */
const rateWindow = 10_000;
const widestBar = 30;
const narrowestBar = 8;

export function startProgress(options: ProgressOptions): Progress {
  const { label, total, unit, quiet, stream } = options;
  if (quiet) return { update: () => undefined, stop: () => undefined };
  const onTerminal = stream.isTTY === true;
  const every = onTerminal ? redrawAfter : logAfter;
  let state: { done: number; note: string } | undefined;
  let samples: { at: number; done: number }[] = [];
  let drawnAt = performance.now();

  const draw = (): void => {
    const now = performance.now();
    if (!state || now - drawnAt < every) return;
    drawnAt = now;
    const recent = samples.findLastIndex(({ at }) => at <= now - rateWindow);
    samples = [...samples.slice(Math.max(0, recent)), { at: now, done: state.done }];
    const { at, done } = samples[0]!;
    const rate = ((state.done - done) / Math.max(1, now - at)) * 1_000;
    const share = total ? Math.min(1, state.done / total) : undefined;
    const words = [
      ...(share === undefined ? [] : [`${Math.floor(share * 100)} %`]),
      amount(state.done, unit),
      `${amount(rate, unit)}/s`,
      ...(total && rate > 0 ? [`${duration((total - state.done) / rate)} left`] : []),
      ...(state.note === '' ? [] : [state.note]),
    ];
    if (onTerminal) stream.write(`\r${fit(label, share, words, stream.columns || 80)}\x1b[K`);
    else stream.write(`${label}: ${words.join(', ')}\n`);
  };
  // Both by the clock and by updates: work may stall, and may leave the clock no turn.
  const clock = setInterval(draw, every);
  clock.unref();

  return {
    update(done, note = '') {
      state = { done, note };
      if (samples.length === 0) samples.push({ at: performance.now(), done });
      draw();
    },
    stop() {
      clearInterval(clock);
      if (onTerminal) stream.write('\r\x1b[K');
      state = undefined;
    },
  };
}

/** One line that a terminal so wide does not wrap: the bar goes first, then the last words. */
function fit(label: string, share: number | undefined, words: string[], columns: number): string {
  const text = words.join('  ');
  const room = columns - 1;
  const forBar = Math.min(widestBar, room - label.length - text.length - 4);
  if (share === undefined || forBar < narrowestBar) return `${label}  ${text}`.slice(0, room);
  const full = Math.floor(share * forBar);
  return `${label}  ${'█'.repeat(full)}${'░'.repeat(forBar - full)}  ${text}`;
}

const wholeNumber = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

function amount(value: number, unit: ProgressOptions['unit']): string {
  if (unit === 'rows') return `${wholeNumber.format(value)} rows`;
  const scale = [' B', ' kB', ' MB', ' GB'] as const;
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${(value / 1_000 ** step).toFixed(step === 0 ? 0 : 1)}${scale[step]}`;
}

function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const clock = `${two(minutes)}:${two(whole % 60)}`;
  return hours > 0 ? `${hours}:${clock}` : clock;
}
