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

/** Tells whose key it is, asking the database at most once in ten seconds for each key in use. */
export class KeyRing {
  readonly #lane: Lane;
  readonly #active = new Map<string, { key: ActiveKey; until: number }>();
  readonly #asking = new Map<string, Promise<ActiveKey | undefined>>();

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Undefined for a key that is malformed, unknown, wrong or revoked, without telling which. */
  async identify(key: string): Promise<Caller | undefined> {
    const parsed = parseAccessKey(key);
    if (!parsed) return undefined;
    const active = this.#recall(parsed.id) ?? (await this.#ask(parsed.id));
    if (!active || !sameHash(active.secret_hash, parsed.secretHash)) return undefined;
    return { keyId: active.id, name: active.name, scopes: active.scopes };
  }

  #recall(id: string): ActiveKey | undefined {
    const entry = this.#active.get(id);
    return entry && entry.until > performance.now() ? entry.key : undefined;
  }

  #ask(id: string): Promise<ActiveKey | undefined> {
    let asking = this.#asking.get(id);
    if (!asking) {
      // The answer is as old as its question, so that is when its time starts.
      const until = performance.now() + believedForMs;
      asking = findActiveKey(this.#lane, id)
        .then((key) => {
          // Only keys that exist are remembered: made-up ones cannot fill the memory.
          this.#active.delete(id);
          if (key) this.#active.set(id, { key, until });
          const [oldest] = this.#active.keys();
          if (this.#active.size > remembered && oldest !== undefined) this.#active.delete(oldest);
          return key;
        })
        .finally(() => this.#asking.delete(id));
      this.#asking.set(id, asking);
    }
    return asking;
  }
}
