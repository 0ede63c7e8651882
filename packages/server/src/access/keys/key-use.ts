/** When keys were last used, for `clientele keys list`. Written in batches, and no request waits for it. */
import { LruMap, type Queries } from '@clientele/directory';

const writeAfterMs = 60_000;
const mostNoted = 10_000;

export class KeyUse {
  readonly #primary: Queries;
  /** When each key was last used, on the monotonic clock. */
  readonly #used = new LruMap<string, number>(mostNoted);
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(primary: Queries) {
    this.#primary = primary;
  }

  note(id: string): void {
    this.#used.set(id, performance.now());
    this.#writeLater();
  }

  /** What cannot be written now, because there is no primary for example, is kept for the next time. */
  async write(): Promise<void> {
    const noted = [...this.#used];
    if (noted.length === 0) return;
    const now = performance.now();
    const ids = noted.map(([id]) => id);
    const secondsAgo = noted.map(([, at]) => (now - at) / 1_000);
    try {
      await this.#primary.query(statement, [ids, secondsAgo]);
      for (const [id, at] of noted) if (this.#used.peek(id) === at) this.#used.delete(id);
    } catch {
      this.#writeLater();
    }
  }

  /** The last minute's use is not written: stopping does not wait for the database. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #writeLater(): void {
    if (this.#timer || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.write();
    }, writeAfterMs).unref();
  }
}

const statement = { name: 'note-key-use', text: 'select clientele.note_key_use($1, $2)' };
