/** Aborts with the first of these signals, so that work can end in order; the second ends it at once. */
export function stopSignal(...signals: NodeJS.Signals[]): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => {
    if (stopping.signal.aborted) process.exit(1);
    stopping.abort();
  };
  for (const signal of signals) process.on(signal, stop);
  return stopping.signal;
}
