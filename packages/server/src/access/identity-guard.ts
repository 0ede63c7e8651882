/**
 * Keeps requests from costing a query before anybody knows whose they are: while the instance is full, and after
 * too many wrong keys or made-up cookies from one address. Keys that this instance has seen lately, and cookies that
 * it or another instance sealed, are not affected.
 */
import type { FastifyRequest } from 'fastify';
import type { KeyChecks } from './keys/key-ring.ts';
import { addressOf } from '../http/address.ts';
import type { Admission } from '../http/admission.ts';
import { RateLimit } from '../http/rate-limit.ts';

const wrongKeysPerMinute = 600;

export class IdentityGuard {
  readonly #admission: Admission;
  readonly #wrong = new RateLimit({ 'wrong-keys': wrongKeysPerMinute });

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  refuseIfFull({ raw }: FastifyRequest): void {
    this.#admission.refuseIfFull(/[?&]search=[^&]/.test(raw.url!) ? 'searches' : 'reads');
  }

  /** For a key or a cookie that comes with the request. */
  checksOf(request: FastifyRequest): KeyChecks {
    return {
      before: () => this.#wrong.check(addressOf(request), 'wrong-keys'),
      wrong: () => void this.#wrong.take(addressOf(request), 'wrong-keys'),
    };
  }
}
