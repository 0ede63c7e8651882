/**
 * Requests a minute and key, in windows that start with a key's first request. Time is monotonic.
 * Counts are this instance's own: behind a balancer the limit is per instance (docs/operations).
 */
import { ProblemError } from './problems.ts';

export type RatePolicy = 'reads' | 'searches';

const windowMs = 60_000;

export class RateLimit {
  readonly #quota: Record<RatePolicy, number>;
  readonly #used = new Map<string, { count: number; resetAt: number }>();
  readonly policyHeader: string;

  constructor(quota: Record<RatePolicy, number>) {
    this.#quota = quota;
    this.policyHeader = (['reads', 'searches'] as const)
      .filter((policy) => quota[policy] > 0)
      .map((policy) => `"${policy}";q=${quota[policy]};w=${windowMs / 1000}`)
      .join(', ');
  }

  /** Counts one request and returns the headers to tell; throws when the quota is used up. */
  take(keyId: string, policy: RatePolicy): Record<string, string> {
    const quota = this.#quota[policy];
    if (quota === 0) return {};
    // Whole milliseconds: with fractions, a new window may seem to last a little over a minute.
    const now = Math.floor(performance.now());
    const bucket = `${policy} ${keyId}`;
    let used = this.#used.get(bucket);
    if (!used || used.resetAt <= now) {
      this.#forget(now);
      used = { count: 0, resetAt: now + windowMs };
      this.#used.set(bucket, used);
    }
    const seconds = Math.ceil((used.resetAt - now) / 1000);
    const left = quota - used.count - 1;
    const headers = {
      'ratelimit-policy': this.policyHeader,
      ratelimit: `"${policy}";r=${Math.max(0, left)};t=${seconds}`,
    };
    if (left < 0) {
      throw new ProblemError('rate-limited', undefined, {
        headers: { ...headers, 'retry-after': String(seconds) },
      });
    }
    used.count += 1;
    return headers;
  }

  /** Drops windows that are over, so that keys long gone take no memory. */
  #forget(now: number): void {
    if (this.#used.size < 1_000) return;
    for (const [bucket, { resetAt }] of this.#used) {
      if (resetAt <= now) this.#used.delete(bucket);
    }
  }
}
