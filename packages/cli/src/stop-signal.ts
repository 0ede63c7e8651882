/** Aborts on the first of these signals, for a clean shutdown. A second signal ends the process immediately. */
export function stopSignal(...signals: NodeJS.Signals[]): AbortSignal {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return controller.signal;
}
