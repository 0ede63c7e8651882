/** Whether a database can be used: the one place that `migrate`, `serve` and `doctor` ask. */
import type pg from 'pg';
import { codeOf } from './error-code.ts';
import { compareHistory, MigrationError, type History, type Migration } from './migrations.ts';
import { readerRole } from './session.ts';

type Client = Pick<pg.ClientBase, 'query'>;

export interface Fault {
  /** One sentence. */
  found: string;
  /** A command, a statement, or a sentence. */
  remedy: string;
}

/** A fault for a message: commands are introduced as such. */
export const inWords = ({ found, remedy }: Fault): string =>
  /^(clientele|alter|drop) /.test(remedy) ? `${found} Run: ${remedy}` : `${found} ${remedy}`;

export const notMigrated: Fault = {
  found: 'The database has no Clientele tables yet.',
  remedy: 'clientele migrate',
};

const outdated: Fault = {
  found: 'The database has an older schema than this program needs.',
  remedy: 'clientele migrate',
};

/** In words of PostgreSQL, whatever the cluster's own encoding and locale are. */
export const createDatabase = `create database clientele template template0 encoding 'UTF8' locale 'C.UTF-8'`;
const moveTo = `Move the data to a new database: ${createDatabase}`;

export async function encodingFault(client: Client): Promise<Fault | undefined> {
  const { rows } = await client.query<{ encoding: string }>(
    'select getdatabaseencoding() as encoding',
  );
  const { encoding } = rows[0]!;
  if (encoding === 'UTF8') return undefined;
  return { found: `The encoding ${encoding} cannot store every name.`, remedy: moveTo };
}

/** Asks pg_trgm, or before it is installed the name of the locale. */
export async function localeFault(client: Client): Promise<Fault | undefined> {
  const { rows: installed } = await client.query<{ schema: string }>(
    `select e.extnamespace::regnamespace::text as schema from pg_extension as e where e.extname = 'pg_trgm'`,
  );
  const hidden = installed[0]
    ? `${installed[0].schema}.show_trgm('é田') = '{}'`
    : `d.datctype in ('C', 'POSIX')`;
  const { rows } = await client.query<{ hidden: boolean; locale: string }>(
    `select ${hidden} as hidden, d.datctype as locale
     from pg_database as d where d.datname = current_database()`,
  );
  const { hidden: isHidden, locale } = rows[0]!;
  if (!isHidden) return undefined;
  return {
    found: `With the locale ${locale}, pg_trgm ignores non-ASCII letters: searching for them scans the whole table.`,
    remedy: moveTo,
  };
}

/** Whether the program can be used with the schema; `newer` says so of one that it was not built for. */
export async function checkSchema(
  client: Client,
  migrations: Migration[],
): Promise<{ fault?: Fault | undefined; newer?: string | undefined }> {
  let history: History;
  try {
    history = await compareHistory(client, migrations);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (['3F000', '42P01', '42501'].includes(code)) return { fault: notMigrated };
    if (code === '42703') return { fault: outdated };
    if (!(error instanceof MigrationError)) throw error;
    const [found = '', ...remedy] = error.message.split(/(?<=\.) /);
    return { fault: { found, remedy: remedy.join(' ') } };
  }
  return { fault: await schemaFault(client, history.pending), newer: history.newer };
}

/** What is wrong with the schema, in words. */
export async function schemaProblem(
  client: Client,
  migrations: Migration[],
): Promise<string | undefined> {
  const { fault } = await checkSchema(client, migrations);
  return fault && inWords(fault);
}

async function schemaFault(client: Client, pending: Migration[]): Promise<Fault | undefined> {
  if (pending.length > 0) {
    const names = pending.map(({ name }) => name).join(', ');
    return { found: `The database lacks ${names}.`, remedy: 'clientele migrate' };
  }
  if (!(await isFromElsewhere(client))) return undefined;
  return {
    found: 'The database was restored from another cluster.',
    remedy: 'clientele migrate',
  };
}

/** Policies hide rows from the reader, but not from the change log. */
export async function rowSecurityFault(client: Client): Promise<Fault | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where c.relrowsecurity and ${ofDirectory}
       and not (select r.rolbypassrls from pg_roles as r where r.rolname = '${readerRole}')
     order by name`,
  );
  const [row] = rows;
  if (!row) return undefined;
  return {
    found: `Row-level security is enabled for ${row.name}: the server refuses to read a part of it.`,
    remedy: `alter table ${row.name} disable row level security`,
  };
}

/** After a crash an unlogged table is empty. Counts, the log and stored maps are not, and a replica cannot read it. */
export async function unloggedFault(client: Client): Promise<Fault | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relpersistence <> 'p' and ${ofDirectory}
     order by name`,
  );
  const [row] = rows;
  if (!row) return undefined;
  return {
    found: `${row.name} is unlogged: a crash empties it, so lists would be wrong.`,
    remedy: `alter table ${row.name} set logged`,
  };
}

/** Rules replace statements or add others: an erasure could delete nobody, and imports end with an error. */
export async function ruleFault(client: Client): Promise<Fault | undefined> {
  const { rows } = await client.query<{ rule: string; name: string }>(
    `select quote_ident(r.rulename) as rule, format('%I.%I', n.nspname, c.relname) as name
     from pg_rewrite as r join pg_class as c on c.oid = r.ev_class
     join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and ${ofDirectory}
     order by name, rule`,
  );
  const [row] = rows;
  if (!row) return undefined;
  return {
    found: `${row.name} has the rule ${row.rule}, which changes what statements do.`,
    remedy: `drop rule ${row.rule} on ${row.name}`,
  };
}

/** The table of customers, and those of Clientele. */
const ofDirectory = `(c.oid = 'public.customers'::regclass or n.nspname = 'clientele')`;

/** What nobody can serve from, whatever else is right. */
export async function tableFault(client: Client): Promise<Fault | undefined> {
  for (const look of [rowSecurityFault, unloggedFault, ruleFault]) {
    const fault = await look(client);
    if (fault) return fault;
  }
  return undefined;
}

/** Whether the change log is of another cluster. */
export async function isFromElsewhere(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ foreign: boolean }>(
    `select h.cluster <> c.system_identifier as foreign
     from clientele.changes_horizon as h, pg_control_system() as c`,
  );
  return rows[0]?.foreign ?? false;
}

/**
 * Whether PostgreSQL writes the values of statements, which are personal data, into its own log.
 * `log_duration` alone does not: it logs no statement.
 */
export async function loggedValuesFault(client: Client): Promise<Fault | undefined> {
  const { rows } = await client.query<{ logged: boolean; database: string }>(
    `select quote_ident(current_database()) as database,
       current_setting('log_parameter_max_length') <> '0'
       and (current_setting('log_statement') not in ('none', 'ddl')
         or current_setting('log_min_duration_statement') <> '-1'
         or current_setting('log_min_duration_sample') <> '-1'
         or current_setting('log_transaction_sample_rate') <> '0') as logged`,
  );
  const { logged, database } = rows[0]!;
  if (!logged) return undefined;
  return {
    found:
      'Statements are logged with their parameter values, so the log contains what people search for.',
    remedy: `alter database ${database} set log_parameter_max_length = 0`,
  };
}
