import type { Scope } from '@clientele/contract';
import {
  type ActiveKey,
  findActiveKey,
  LruMap,
  parseAccessKey,
  type Queries,
  sameHash,
} from '@clientele/directory';
import type { KeyUse } from './key-use.ts';

/** How long a key is cached: a revoked one stops working within 15 seconds (docs/api.md). */
const cachedForMs = 10_000;
const mostCached = 10_000;

export interface Caller {
  kind: 'key' | 'person';
  /** Of the key or the person: limits, logs and the audit count by it. */
  id: string;
  /** What the key's maker called it, or the person's name. */
  name: string;
  scopes: readonly Scope[];
  /** How many customers it may be shown on one day, in UTC; unlimited without it. */
  recordsPerDay?: number | undefined;
}

interface CachedKey {
  key: ActiveKey;
  until: number;
}

/** What unknown keys are compared with, so that they cost as much as wrong ones. */
const noHash = Buffer.alloc(32);

/** Called before a query for a key or a cookie that was not valid lately, and when a well-formed one is not valid. */
export interface KeyChecks {
  before(): void;
  wrong(): void;
}

/** Identifies callers by their key. Each key in use is looked up at most once in ten seconds. */
export class KeyRing {
  readonly #keys: Queries;
  readonly #use: KeyUse | undefined;
  readonly #active = new LruMap<string, CachedKey>(mostCached);
  readonly #lookups = new Map<string, Promise<CachedKey | undefined>>();
  /** Callers by the whole key, so that its secret is not hashed for every request. */
  readonly #callers = new LruMap<string, { caller: Caller; until: number }>(mostCached);

  constructor(keys: Queries, use?: KeyUse) {
    this.#keys = keys;
    this.#use = use;
  }

  /** Undefined for a key that is malformed, unknown, wrong, revoked or expired, without saying which. */
  async identify(key: string, checks?: KeyChecks): Promise<Caller | undefined> {
    const cached = this.#callers.get(key);
    return cached && cached.until > performance.now() ? cached.caller : this.#verify(key, checks);
  }

  async #verify(key: string, checks: KeyChecks | undefined): Promise<Caller | undefined> {
    const parsed = parseAccessKey(key);
    if (!parsed) return undefined;
    const { id, secretHash } = parsed;
    const known = this.#active.get(id);
    let valid = sameHash(known?.key.secret_hash ?? noHash, secretHash) && known !== undefined;
    let active = valid && known!.until > performance.now() ? known : undefined;
    if (!active) {
      // A wrong secret costs what an unknown id does: the time it takes must not show which ids exist.
      if (!valid) checks?.before();
      active = await this.#lookUp(id);
      valid = sameHash(active?.key.secret_hash ?? noHash, secretHash) && active !== undefined;
    }
    if (!active || !valid) {
      checks?.wrong();
      return undefined;
    }
    const caller = toCaller(active.key);
    this.#use?.note(id);
    this.#callers.set(key, { caller, until: active.until });
    return caller;
  }

  /** The caller of a session that was started with the key. Undefined once the key is revoked. */
  async find(id: string): Promise<Caller | undefined> {
    const known = this.#active.get(id);
    const active = known && known.until > performance.now() ? known : await this.#lookUp(id);
    if (!active) return undefined;
    this.#use?.note(id);
    return toCaller(active.key);
  }

  #lookUp(id: string): Promise<CachedKey | undefined> {
    let lookup = this.#lookups.get(id);
    if (!lookup) {
      // The answer may be as old as the query's start, so the time counts from there.
      const asked = performance.now();
      lookup = findActiveKey(this.#keys, id)
        .then((key) => {
          this.#active.delete(id);
          if (!key) return undefined;
          // Only keys that exist are cached, so that made-up ones cannot fill the memory.
          const validForMs = Math.min(cachedForMs, key.expires_in ?? Infinity);
          const cached = { key, until: asked + validForMs };
          this.#active.set(id, cached);
          return cached;
        })
        .finally(() => this.#lookups.delete(id));
      this.#lookups.set(id, lookup);
    }
    return lookup;
  }
}

function toCaller({ id, name, scopes, records_per_day }: ActiveKey): Caller {
  const caller: Caller = { kind: 'key', id, name, scopes };
  return records_per_day === null ? caller : { ...caller, recordsPerDay: records_per_day };
}
