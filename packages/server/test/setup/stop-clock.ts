import { vi } from 'vitest';

/** Stops the monotonic clock until disposed: rates are not paid off and nothing expires, however slow the machine is. */
export const stopClock = (): Disposable =>
  vi.spyOn(performance, 'now').mockReturnValue(performance.now());
