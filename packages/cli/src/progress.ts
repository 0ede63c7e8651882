/** The progress of a long operation: a bar on a terminal, a line every ten seconds in a log. */

export interface ProgressOptions {
  label: string;
  /** Unknown for a pipe; then only count and rate are shown, no bar and no time left. */
  total?: number | undefined;
  unit: 'bytes' | 'rows';
  quiet?: boolean | undefined;
  stream?: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };
}

export interface Progress {
  /** `note` adds more, such as the number of rejected records. */
  update(done: number, note?: string): void;
  /** Clears the terminal's line, for the summary. */
  stop(): void;
}

const redrawMs = 100;
const logMs = 10_000;
/** The rate is measured over this window, so a stall shows and records of a resumed run do not count. */
const rateWindowMs = 10_000;
const maxBarWidth = 30;
const minBarWidth = 8;

export function startProgress(options: ProgressOptions): Progress {
  const { label, total, unit, quiet = false, stream = process.stderr } = options;
  if (quiet) return { update: () => undefined, stop: () => undefined };
  const onTerminal = stream.isTTY === true;
  const every = onTerminal ? redrawMs : logMs;
  let state: { done: number; note: string } | undefined;
  let samples: { at: number; done: number }[] = [];
  let drawnAt = performance.now();

  const draw = (): void => {
    const now = performance.now();
    if (!state || now - drawnAt < every) return;
    drawnAt = now;
    const recent = samples.findLastIndex(({ at }) => at <= now - rateWindowMs);
    samples = [...samples.slice(Math.max(0, recent)), { at: now, done: state.done }];
    const { at, done } = samples[0]!;
    const rate = ((state.done - done) / Math.max(1, now - at)) * 1_000;
    const share = total ? Math.min(1, state.done / total) : undefined;
    const parts = [
      ...(share === undefined ? [] : [`${Math.floor(share * 100)} %`]),
      amount(state.done, unit),
      // When all is read, what follows, such as building an index, is not measured.
      ...(share === 1 ? [] : [`${amount(rate, unit)}/s`]),
      ...(total && share !== 1 && rate > 0
        ? [`${duration((total - state.done) / rate)} left`]
        : []),
      ...(state.note === '' ? [] : [state.note]),
    ];
    if (onTerminal) stream.write(`\r${fitLine(label, share, parts, stream.columns || 80)}\x1b[K`);
    else stream.write(`${label}: ${parts.join(', ')}\n`);
  };
  // Updates draw too: synchronous work can keep the timer from firing.
  const timer = setInterval(draw, every);
  timer.unref();

  return {
    update(done, note = '') {
      state = { done, note };
      if (samples.length === 0) samples.push({ at: performance.now(), done });
      draw();
    },
    stop() {
      clearInterval(timer);
      if (onTerminal) stream.write('\r\x1b[K');
      state = undefined;
    },
  };
}

/** Fits a line into the terminal's width without wrapping: drops the bar first, then the end of the text. */
function fitLine(
  label: string,
  share: number | undefined,
  parts: string[],
  columns: number,
): string {
  const text = parts.join('  ');
  const width = columns - 1;
  const barWidth = Math.min(maxBarWidth, width - label.length - text.length - 4);
  if (share === undefined || barWidth < minBarWidth) return `${label}  ${text}`.slice(0, width);
  const filled = Math.floor(share * barWidth);
  return `${label}  ${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}  ${text}`;
}

const wholeNumber = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

function amount(value: number, unit: ProgressOptions['unit']): string {
  if (unit === 'rows') return `${wholeNumber.format(value)} rows`;
  const units = [' B', ' kB', ' MB', ' GB'] as const;
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, value)) / 3));
  return `${(value / 1_000 ** step).toFixed(step === 0 ? 0 : 1)}${units[step]}`;
}

function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const pad = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const time = `${pad(minutes)}:${pad(whole % 60)}`;
  return hours > 0 ? `${hours}:${time}` : time;
}
