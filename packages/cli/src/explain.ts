/** Turns errors into messages for the person who ran the command: what happened and what to do. */
import { ImportError, notMigrated } from '@clientele/import';
import { NoPostgresError } from '@clientele/sandbox';
import {
  ConfigError,
  createDatabase,
  DatabaseUnfitError,
  isConnectionError,
  LedgerError,
  MigrationError,
  SecretError,
  SuppressionError,
} from '@clientele/directory';

/** The command failed for a reason that the message explains. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Their messages are written for the user. */
const explained = [
  CommandError,
  ConfigError,
  DatabaseUnfitError,
  ImportError,
  LedgerError,
  MigrationError,
  NoPostgresError,
  SecretError,
  SuppressionError,
];

export function explain(error: unknown): string {
  if (explained.some((type) => error instanceof type)) return (error as Error).message;
  const exhausted = explainExhausted(error as NodeJS.ErrnoException);
  if (exhausted !== undefined) return exhausted;
  if (isConnectionError(error)) {
    return 'The database in DATABASE_URL does not respond. Check that it is running and that the address is correct.';
  }
  const { code, message, stack, syscall, path, port } = error as NodeJS.ErrnoException & {
    port?: number;
  };
  switch (code) {
    case '28P01':
    case '28000':
      return 'The database rejected the user or the password in DATABASE_URL.';
    case '3D000':
      return `The database in DATABASE_URL does not exist. Create it, as a superuser, with its name: ${createDatabase}`;
    case '3F000':
    case '42P01':
      return notMigrated;
    case '42703':
    case '42883':
      return 'The database has an older schema than this program needs. Run: clientele migrate';
    case '42501':
      return message.includes('temporary tables')
        ? 'The user in DATABASE_URL may not create temporary tables, which imports need. Ask the database owner to run: grant temporary on database NAME to clientele_writer'
        : `The user in DATABASE_URL lacks a permission: ${message}. Which login a command needs is in docs/operations.md, Roles.`;
    case 'EADDRINUSE':
      return `Port ${port} is already in use. Choose another one with PORT or CLIENTELE_ADMIN_PORT, or stop the process that uses it.`;
    case 'EADDRNOTAVAIL':
      return 'HOST is not an address of this machine. Use 0.0.0.0 to listen on all of its addresses.';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return syscall === 'listen'
        ? `You do not have permission to listen on port ${port}. Choose one above 1023 with PORT or CLIENTELE_ADMIN_PORT.`
        : `You do not have permission to use ${path ?? 'a file'} (${code}).`;
    case 'ENOSPC':
      return 'The disk is full.';
    case '40001':
      return 'The replica canceled the query to apply changes from the primary. Try again, or use the primary.';
    default:
      return `this is a bug, please report it. ${stack ?? message}`;
  }
}

/** What PostgreSQL has too little of. To the server, these are reasons not to respond. */
function explainExhausted({ code, message }: NodeJS.ErrnoException): string | undefined {
  switch (code) {
    case '53100':
      return 'The disk of the PostgreSQL server is full. Make room on it, then run the command again.';
    case '53200':
      return 'PostgreSQL is out of memory. End some sessions, or lower work_mem or maintenance_work_mem, then run the command again.';
    case '53300':
      return 'PostgreSQL has no connection left. End some sessions, or raise max_connections, or the CONNECTION LIMIT of the role or the database.';
    case '53400':
      return `PostgreSQL has reached a limit in its settings: ${message}. Raise the limit, then run the command again.`;
    default:
      return undefined;
  }
}
