/** The user and password of the database, which can change in DATABASE_URL_FILE while the server runs. */
import type pg from 'pg';
import { findDatabaseUrl } from '../settings/database-url.ts';
import { codeOf } from './error-code.ts';
import { nodeUrls } from '../settings/node-urls.ts';

/** A connection of the pool. If its login is refused, the next one has what the file says now. */
export async function connect(pool: pg.Pool, login: Login | undefined): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    const url = pool.options.connectionString!;
    pool.options.connectionString = login?.after(error, url) ?? url;
    throw error;
  });
}

/** How often an unsuccessful look at the file is reported. */
const reportedMs = 60_000;

export class Login {
  readonly #file: string | undefined;
  #user: string;
  #password: string;
  #reportedAt = -Infinity;
  /** Gets a line about what happened, without the login. */
  report: (line: string) => void = () => undefined;

  constructor({ url, urlFile }: { url: string; urlFile?: string | undefined }) {
    const { username, password } = new URL(nodeUrls(url)![0]!);
    [this.#user, this.#password] = [username, password];
    this.#file = urlFile;
  }

  /**
   * What to connect with after an attempt to connect with `url` failed. The file is read again only if the database
   * refused the login. Only the user and the password are taken from it.
   */
  after(error: unknown, url: string): string {
    if (!['28P01', '28000'].includes(codeOf(error) ?? '')) return url;
    const { username, password } = new URL(url);
    if (username === this.#user && password === this.#password) this.#readAgain();
    return Object.assign(new URL(url), { username: this.#user, password: this.#password }).href;
  }

  #readAgain(): void {
    const [user, password] = [this.#user, this.#password];
    const { url, fault } = this.#file
      ? findDatabaseUrl({ DATABASE_URL_FILE: this.#file })
      : { url: '', fault: 'none' };
    if (fault === undefined) {
      const found = new URL(nodeUrls(url)![0]!);
      [this.#user, this.#password] = [found.username, found.password];
    }
    const isNew = this.#user !== user || this.#password !== password;
    if (isNew) {
      this.report(
        'the database refused the login: DATABASE_URL_FILE has a new one, which is used from now on',
      );
    } else if (performance.now() - this.#reportedAt >= reportedMs) {
      this.#reportedAt = performance.now();
      this.report(
        this.#file
          ? 'the database refuses the user or the password in DATABASE_URL_FILE: write the right one to the file'
          : 'the database refuses the user or the password in DATABASE_URL: restart with the right one',
      );
    }
  }
}
