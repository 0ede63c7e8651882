/**
 * Keeps requests from costing a query before anybody knows whose they are: while the instance is full, and after
 * too many wrong keys from one address. Keys that this instance has seen lately are not affected.
 */
import type { FastifyRequest } from 'fastify';
import { addressOf } from './address.ts';
import type { Admission } from './admission.ts';
import { RateLimit } from './rate-limit.ts';

const wrongKeysPerMinute = 600;

export class IdentityGuard {
  readonly #admission: Admission;
  readonly #wrong = new RateLimit({ 'wrong-keys': wrongKeysPerMinute });

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  beforeSession({ raw }: FastifyRequest): void {
    this.#admission.refuseIfFull(/[?&]search=[^&]/.test(raw.url!) ? 'searches' : 'reads');
  }

  beforeKey(request: FastifyRequest): void {
    this.beforeSession(request);
    this.beforeSignIn(request);
  }

  beforeSignIn(request: FastifyRequest): void {
    this.#wrong.check(addressOf(request), 'wrong-keys');
  }

  wrongKey(request: FastifyRequest): void {
    this.#wrong.take(addressOf(request), 'wrong-keys');
  }
}
