/** The doctor's findings, and what each check is given. */
import type pg from 'pg';
import type { DatabaseConfig } from '../settings/database-settings.ts';
import type { Migration } from '../db/migrations.ts';
import type { LedgerConfig } from '../settings/ledger-settings.ts';

/** `must-fix`: must be fixed, because something does not work, loses data or exposes personal data. */
export type State = 'ok' | 'warning' | 'must-fix' | 'unknown';

export interface Finding {
  state: State;
  /** What was found, in a sentence. */
  found: string;
  /** What to do about it: a command, an SQL statement or an instruction. */
  remedy?: string;
  /** It is unknown because the login may not read a table of Clientele, which others may. */
  isWrongLogin?: true;
}

export interface Circumstances {
  client: pg.ClientBase;
  migrations: Migration[];
  /** Database connections of one instance, by kind of work. */
  connections: DatabaseConfig['connections'];
  /** Transactions open for this many seconds are reported. */
  longTransaction: number;
  /** Undefined where no ledger of erasures is kept. */
  ledger?: LedgerConfig | undefined;
  /** This machine's clock. */
  now: () => number;
}

export interface Check {
  name: string;
  /** Skipped while the database has no Clientele tables. */
  needsTables?: true;
  /** Finds the same on the primary and its replicas, or something that a replica does not know. */
  primaryOnly?: true;
  /** One finding per problem, or a single `ok`. */
  look(circumstances: Circumstances): Promise<Finding[]>;
}

export const ok = (found: string): Finding => ({ state: 'ok', found });
export const warning = (found: string, remedy: string): Finding => ({
  state: 'warning',
  found,
  remedy,
});
export const mustFix = (found: string, remedy: string): Finding => ({
  state: 'must-fix',
  found,
  remedy,
});
export const unknown = (found: string, remedy?: string): Finding => ({
  state: 'unknown',
  found,
  ...(remedy !== undefined && { remedy }),
});
/** PostgreSQL shows it only to members of one of its own roles. */
export const hidden = (found: string): Finding =>
  unknown(found, 'Run doctor as a superuser, or: grant pg_monitor to the_user');

/** Of another login: null is all that PostgreSQL shows of its state. */
export const isHiddenClient =
  '(a.backend_type is null and a.usename is not null and a.datname is not null)';

/** The only row of a query. */
export async function row<Row extends object>(
  client: pg.ClientBase,
  text: string,
  values: unknown[] = [],
): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  return rows[0]!;
}

export function bytes(value: number): string {
  const step = Math.min(4, Math.floor(Math.log10(Math.max(1, value)) / 3));
  const scaled = value / 1_000 ** step;
  return `${step === 0 ? scaled : scaled.toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][step]}`;
}
