import type { Scope } from '@clientele/contract';
import type { Lane } from '../db/lane.ts';
import { parseAccessKey, sameHash } from './access-key.ts';
import { findActiveKey, type ActiveKey } from './store.ts';

/** A revoked key may be believed for this long: contract, "revoked everywhere in 15 s". */
const believedForMs = 10_000;
const remembered = 10_000;

export interface Caller {
  keyId: string;
  /** What its maker called it. */
  name: string;
  scopes: readonly Scope[];
}

interface Believed {
  key: ActiveKey;
  until: number;
}

/** Tells whose key it is, asking the database at most once in ten seconds for each key in use. */
export class KeyRing {
  readonly #lane: Lane;
  readonly #active = new Map<string, Believed>();
  readonly #asking = new Map<string, Promise<Believed | undefined>>();
  /** Keys whose secret was found right, as long as they are believed: hashing is most of a quick answer. */
  readonly #right = new Map<string, { caller: Caller; until: number }>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Undefined for a key that is malformed, unknown, wrong or revoked, without telling which. */
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
      // The answer is as old as its question, so that is when its time starts.
      const until = performance.now() + believedForMs;
      asking = findActiveKey(this.#lane, id)
        .then((key) => {
          this.#active.delete(id);
          if (!key) return undefined;
          // Only keys that exist are remembered: made-up ones cannot fill the memory.
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

/** The oldest goes when there are too many. */
function remember<T>(entries: Map<string, T>, key: string, entry: T): void {
  entries.delete(key);
  entries.set(key, entry);
  const [oldest] = entries.keys();
  if (entries.size > remembered && oldest !== undefined) entries.delete(oldest);
}
