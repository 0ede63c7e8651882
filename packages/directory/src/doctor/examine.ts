/** The doctor: checks everything about a database that an operator should know. Read-only. */
import { isConnectionError } from '../db/errors.ts';
import { codeOf } from '../db/error-code.ts';
import { connections, disk } from './capacity.ts';
import { hidden, unknown, type Check, type Circumstances, type Finding } from './finding.ts';
import { clock, encoding, extensions, version } from './installation.ts';
import { erasures, oldText } from './forgetting.ts';
import { ledger } from './ledger.ts';
import { logs } from './logs.ts';
import { masking } from './masking.ts';
import { orders } from './orders.ts';
import { replication } from './replication.ts';
import { roles } from './roles.ts';
import { indexes, inheritance, migrationState, tables, triggers } from './schema.ts';
import { searchText } from './search-text.ts';
import { settings } from './settings.ts';
import { suppression } from './suppression.ts';
import { bloat, changeLog, transactions, vacuum, wraparound } from './upkeep.ts';

const checks: Check[] = [
  version,
  encoding,
  extensions,
  migrationState,
  roles,
  indexes,
  triggers,
  searchText,
  masking,
  orders,
  suppression,
  inheritance,
  tables,
  settings,
  bloat,
  vacuum,
  wraparound,
  transactions,
  changeLog,
  oldText,
  erasures,
  ledger,
  replication,
  logs,
  clock,
  connections,
  disk,
];

export type NamedFinding = Finding & { check: string };

/** With `replicaOnly`, what examining the primary finds is left out. */
export async function* examine(
  circumstances: Circumstances,
  replicaOnly = false,
): AsyncGenerator<NamedFinding> {
  const { client } = circumstances;
  await client.query(`
    set default_transaction_read_only = on;
    set statement_timeout = '30s';
    set lock_timeout = '2s'`);
  const { rows } = await client.query<{ there: boolean }>(
    `select count(*) = 2 as there
     from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where (n.nspname, c.relname) in (('public', 'customers'), ('clientele', 'changes'))`,
  );
  for (const check of checks) {
    if (check.needsTables && !rows[0]!.there) continue;
    if (replicaOnly && check.primaryOnly) continue;
    for (const finding of await look(check, circumstances)) {
      yield { check: check.name, ...finding };
    }
  }
}

/** A check that cannot be made is reported as unknown, and the others still run. */
async function look(check: Check, circumstances: Circumstances): Promise<Finding[]> {
  try {
    return await check.look(circumstances);
  } catch (error) {
    if (isConnectionError(error)) throw error;
    switch (codeOf(error)) {
      case '42501':
        return [notAllowed(error)];
      case '55P03':
      case '57014':
        return [unknown('The check timed out because the database is busy.', 'Run doctor again.')];
      case '42P01':
      case '42883':
        return [unknown('The database lacks what this checks.', 'clientele migrate')];
      default:
        throw error;
    }
  }
}

/** What belongs to PostgreSQL is for those who monitor it, and what belongs to Clientele for its own roles. */
function notAllowed(error: unknown): Finding {
  const found = 'This login is not allowed to read it.';
  if ((error as Error).message.includes(' pg_')) return hidden(found);
  const remedy =
    'Run doctor with the URL of the server or of the owner: those of clientele_serve or clientele_owner.';
  return { ...unknown(found, remedy), isWrongLogin: true };
}
