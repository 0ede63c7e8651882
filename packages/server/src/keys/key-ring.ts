import type { Scope } from '@clientele/contract';
import type { Lane } from '../db/lane.ts';
import { parseAccessKey, sameHash } from './access-key.ts';
import { findActiveKey, type ActiveKey } from './store.ts';

/** How long a key is cached. A revoked key must stop working within 15 seconds (docs/operations.md). */
const believedForMs = 10_000;
const remembered = 10_000;

export interface Caller {
  keyId: string;
  /** The name given when the key was created. */
  name: string;
  scopes: readonly Scope[];
}

interface Believed {
  key: ActiveKey;
  until: number;
}

/** Identifies callers by their key, with at most one query per key every ten seconds. */
export class KeyRing {
  readonly #lane: Lane;
  readonly #active = new Map<string, Believed>();
  readonly #asking = new Map<string, Promise<Believed | undefined>>();
  /** Keys whose secret was verified, for as long as they are cached: hashing dominates a fast request. */
  readonly #right = new Map<string, { caller: Caller; until: number }>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Undefined for a key that is malformed, unknown, wrong or revoked; which of these is not revealed. */
  async identify(key: string): Promise<Caller | undefined> {
    const right = this.#right.get(key);
    return right && right.until > performance.now() ? right.caller : this.#look(key);
  }

  async #look(key: string): Promise<Caller | undefined> {
    const parsed = parseAccessKey(key);
    if (!parsed) return undefined;
    const { id, secretHash } = parsed;
    const known = this.#active.get(id);
    const active = known && known.until > performance.now() ? known : await this.#ask(id);
    if (!active || !sameHash(active.key.secret_hash, secretHash)) return undefined;
    const { name, scopes } = active.key;
    const caller = { keyId: id, name, scopes };
    remember(this.#right, key, { caller, until: active.until });
    return caller;
  }

  #ask(id: string): Promise<Believed | undefined> {
    let asking = this.#asking.get(id);
    if (!asking) {
      // The time starts with the query: a key may be revoked while it runs.
      const until = performance.now() + believedForMs;
      asking = findActiveKey(this.#lane, id)
        .then((key) => {
          this.#active.delete(id);
          if (!key) return undefined;
          // Only existing keys are cached, so made-up ones cannot fill the memory.
          const believed = { key, until };
          remember(this.#active, id, believed);
          return believed;
        })
        .finally(() => this.#asking.delete(id));
      this.#asking.set(id, asking);
    }
    return asking;
  }
}

/** Evicts the oldest entry when there are too many. */
function remember<T>(entries: Map<string, T>, key: string, entry: T): void {
  entries.delete(key);
  entries.set(key, entry);
  const [oldest] = entries.keys();
  if (entries.size > remembered && oldest !== undefined) entries.delete(oldest);
}
