/**
 * Answers that were given, each with the name of the snapshot it was read in. PostgreSQL shows the same
 * to whoever reads in the same snapshot, so an answer is given again only when the database itself, asked
 * anew, names the same one: any commit by anybody makes another.
 */
export interface KnownPage {
  snapshot: string;
  body: Buffer;
}

const maxBytes = 4_000_000;

export class PageCache {
  /** Least recently used first. */
  readonly #pages = new Map<string, KnownPage>();
  #bytes = 0;

  get(key: string): KnownPage | undefined {
    const page = this.#pages.get(key);
    if (page) {
      this.#pages.delete(key);
      this.#pages.set(key, page);
    }
    return page;
  }

  set(key: string, page: KnownPage): void {
    this.#drop(key);
    this.#pages.set(key, page);
    this.#bytes += page.body.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#drop(oldest);
    }
  }

  /** What customers asked to have erased must not stay in memory because nobody asks for it. */
  clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }

  #drop(key: string): void {
    this.#bytes -= this.#pages.get(key)?.body.length ?? 0;
    this.#pages.delete(key);
  }
}
