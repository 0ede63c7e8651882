import { useCallback, useSyncExternalStore } from 'react';

/** Whole seconds until an instant, counted down. 0 once it has passed. */
export function useCountdown(at: number): number {
  const subscribe = useCallback(
    (listener: () => void) => {
      const timer = setInterval(() => {
        listener();
        if (Date.now() >= at) clearInterval(timer);
      }, 1000);
      return () => clearInterval(timer);
    },
    [at],
  );
  return useSyncExternalStore(subscribe, () => Math.max(0, Math.ceil((at - Date.now()) / 1000)));
}
