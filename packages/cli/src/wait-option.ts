/** `--wait [seconds]`, of commands that can wait for something that is starting. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import { wholeNumber } from './whole-number.ts';

const pauseMs = 250;
const defaultSeconds = 60;

/** True without a number. */
export type Wait = number | true | undefined;

export const waitOption = (what: string): Option =>
  new Option(
    '--wait [seconds]',
    `wait for ${what}, by default up to ${defaultSeconds} seconds`,
  ).argParser(wholeNumber(1, 3_600));

/** Repeats work that fails until the time is over, or until it fails in a way that waiting does not help. */
export async function retryFor<T>(
  wait: Wait,
  work: () => Promise<T>,
  mayPass: (error: unknown) => boolean,
): Promise<T> {
  const seconds = wait === true ? defaultSeconds : (wait ?? 0);
  const deadline = performance.now() + 1_000 * seconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() + pauseMs > deadline || !mayPass(error)) throw error;
      await sleep(pauseMs);
    }
  }
}
