/**
 * Limits the rate of requests per key (or address, for sign-ins) with the generic cell rate algorithm: each
 * request adds to a debt that is paid off evenly, and no request may exceed the quota. There is no window at
 * whose edge twice the quota would fit. Each instance counts on its own (docs/operations.md).
 */
import { ProblemError } from './problems.ts';

export type RatePolicy =
  | 'reads'
  | 'searches'
  | 'not-found'
  | 'sign-ins'
  | 'sign-outs'
  | 'wrong-keys';

const minute = 60_000;
/** What one request costs. A millisecond pays off the requests per minute, so that all sums are whole numbers. */
const cost = minute;

interface Policy {
  perMinute: number;
  /** How many requests may arrive at once, and the seconds in which as many are paid off. */
  quota: number;
  seconds: number;
}

interface Account {
  debt: number;
  /** When it was so high, on the monotonic clock. */
  at: number;
}

export class RateLimit {
  readonly #policies: Partial<Record<RatePolicy, Policy>> = {};
  readonly #accounts = new Map<string, Account>();
  #forgetAt = 1_000;
  readonly #policyHeader: string;

  /** Requests per minute; 0 for no limit. */
  constructor(perMinute: Partial<Record<RatePolicy, number>>) {
    const items: string[] = [];
    for (const [name, rate] of Object.entries(perMinute) as [RatePolicy, number][]) {
      if (rate === 0) continue;
      // A sixth of a minute's requests at once, unless there are so few that people would notice.
      const seconds = rate < 60 ? 60 : 10;
      const quota = Math.floor((rate * seconds) / 60);
      this.#policies[name] = { perMinute: rate, quota, seconds };
      items.push(`"${name}";q=${quota};w=${seconds}`);
    }
    this.#policyHeader = items.join(', ');
  }

  /** Counts one request and returns the headers to send; throws when the quota is used up. */
  take(who: string, name: RatePolicy): Record<string, string> {
    const policy = this.#policies[name];
    if (!policy) return {};
    const key = `${name} ${who}`;
    const { now, debt } = this.#look(key, policy);
    if (debt + cost > policy.quota * cost) throw this.#refusal(name, policy, debt);
    this.#forget(now);
    this.#accounts.set(key, { debt: debt + cost, at: now });
    return this.#headers(name, policy, debt + cost).headers;
  }

  /** Throws when the quota is used up, without counting anything. */
  check(who: string, name: RatePolicy): void {
    const policy = this.#policies[name];
    if (!policy) return;
    const { debt } = this.#look(`${name} ${who}`, policy);
    if (debt + cost > policy.quota * cost) throw this.#refusal(name, policy, debt);
  }

  #look(key: string, { perMinute }: Policy): { now: number; debt: number } {
    const now = Math.floor(performance.now());
    const account = this.#accounts.get(key);
    if (!account) return { now, debt: 0 };
    const paid = Math.max(0, now - account.at) * perMinute;
    return { now, debt: Math.max(0, account.debt - paid) };
  }

  /** `r`: how many requests would be accepted now. `t`: seconds until one more would be. */
  #headers(name: RatePolicy, { quota, perMinute }: Policy, debt: number) {
    const left = quota * cost - debt;
    const seconds = Math.ceil(Math.ceil((cost - (left % cost)) / perMinute) / 1000);
    const limit = `"${name}";r=${Math.floor(left / cost)};t=${seconds}`;
    return { headers: { 'ratelimit-policy': this.#policyHeader, ratelimit: limit }, seconds };
  }

  #refusal(name: RatePolicy, policy: Policy, debt: number): ProblemError {
    const { headers, seconds } = this.#headers(name, policy, debt);
    return new ProblemError('rate-limited', undefined, {
      headers: { ...headers, 'retry-after': String(seconds) },
    });
  }

  /** Drops paid accounts now and then, so that keys no longer in use take no memory. */
  #forget(now: number): void {
    if (this.#accounts.size < this.#forgetAt) return;
    for (const [key, { at }] of this.#accounts) {
      // Whatever was owed, a minute pays it off.
      if (now - at >= minute) this.#accounts.delete(key);
    }
    this.#forgetAt = Math.max(1_000, 2 * this.#accounts.size);
  }
}
