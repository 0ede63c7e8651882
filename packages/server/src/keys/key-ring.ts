import type { Scope } from '@clientele/contract';
import type { Queries } from '../db/nodes.ts';
import { LruMap } from '../lru-map.ts';
import { parseAccessKey, sameHash } from './access-key.ts';
import { findActiveKey, type ActiveKey } from './store.ts';

/** How long a key is cached: a revoked one stops working within 15 seconds (docs/api.md). */
const cachedForMs = 10_000;
const mostCached = 10_000;

export interface Caller {
  keyId: string;
  /** What its maker called it. */
  name: string;
  scopes: readonly Scope[];
}

interface CachedKey {
  key: ActiveKey;
  until: number;
}

/** Called before a query for a key that was not valid lately, and when a well-formed key is not valid. */
export interface KeyChecks {
  before(): void;
  wrong(): void;
}

/** Identifies callers by their key. Each key in use is looked up at most once in ten seconds. */
export class KeyRing {
  readonly #keys: Queries;
  readonly #active = new LruMap<string, CachedKey>(mostCached);
  readonly #lookups = new Map<string, Promise<CachedKey | undefined>>();
  /** Callers by the whole key, so that its secret is not hashed for every request. */
  readonly #callers = new LruMap<string, { caller: Caller; until: number }>(mostCached);

  constructor(keys: Queries) {
    this.#keys = keys;
  }

  /** Undefined for a key that is malformed, unknown, wrong or revoked, without saying which. */
  async identify(key: string, checks?: KeyChecks): Promise<Caller | undefined> {
    const cached = this.#callers.get(key);
    return cached && cached.until > performance.now() ? cached.caller : this.#verify(key, checks);
  }

  async #verify(key: string, checks: KeyChecks | undefined): Promise<Caller | undefined> {
    const parsed = parseAccessKey(key);
    if (!parsed) return undefined;
    const { id, secretHash } = parsed;
    const known = this.#active.get(id);
    if (!known) checks?.before();
    const active = known && known.until > performance.now() ? known : await this.#find(id);
    if (!active || !sameHash(active.key.secret_hash, secretHash)) {
      checks?.wrong();
      return undefined;
    }
    const { name, scopes } = active.key;
    const caller = { keyId: id, name, scopes };
    this.#callers.set(key, { caller, until: active.until });
    return caller;
  }

  #find(id: string): Promise<CachedKey | undefined> {
    let lookup = this.#lookups.get(id);
    if (!lookup) {
      // The answer may be as old as the query's start, so the time counts from there.
      const until = performance.now() + cachedForMs;
      lookup = findActiveKey(this.#keys, id)
        .then((key) => {
          this.#active.delete(id);
          if (!key) return undefined;
          // Only keys that exist are cached, so that made-up ones cannot fill the memory.
          const cached = { key, until };
          this.#active.set(id, cached);
          return cached;
        })
        .finally(() => this.#lookups.delete(id));
      this.#lookups.set(id, lookup);
    }
    return lookup;
  }
}
