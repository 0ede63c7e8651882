/**
 * Limits requests per minute and key (or address, for sign-ins). A window starts with the first request
 * and is measured on the monotonic clock. Each instance counts on its own (docs/operations.md).
 */
import { ProblemError } from './problems.ts';

export type RatePolicy = 'reads' | 'searches' | 'sign-ins';

const windowMs = 60_000;

export class RateLimit {
  readonly #quota: Partial<Record<RatePolicy, number>>;
  readonly #used = new Map<string, { count: number; resetAt: number }>();
  readonly policyHeader: string;

  constructor(quota: Partial<Record<RatePolicy, number>>) {
    this.#quota = quota;
    this.policyHeader = Object.entries(quota)
      .filter(([, perMinute]) => perMinute > 0)
      .map(([policy, perMinute]) => `"${policy}";q=${perMinute};w=${windowMs / 1000}`)
      .join(', ');
  }

  /** Counts one request and returns the headers to send; throws when the quota is used up. */
  take(who: string, policy: RatePolicy): Record<string, string> {
    const quota = this.#quota[policy] ?? 0;
    if (quota === 0) return {};
    // Whole milliseconds: with fractions, a new window can round up to 61 seconds.
    const now = Math.floor(performance.now());
    const bucket = `${policy} ${who}`;
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

  /** Drops expired windows, so that keys no longer in use take no memory. */
  #forget(now: number): void {
    if (this.#used.size < 1_000) return;
    for (const [bucket, { resetAt }] of this.#used) {
      if (resetAt <= now) this.#used.delete(bucket);
    }
  }
}
