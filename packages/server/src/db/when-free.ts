/** Tries again instead of waiting for locks: other sessions would wait behind ours. */
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../error-code.ts';

const retries = { pauseMs: 500, attempts: 600 };

/** Tries again while other sessions hold locks. */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const mayPass = ['55P03', '40P01'].includes(codeOf(error) ?? '');
      if (!mayPass || attempt === retries.attempts) throw error;
      await sleep(retries.pauseMs);
    }
  }
}
