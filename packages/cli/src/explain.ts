/** An error in words for whoever typed the command: what happened, and what to do where we know it. */
import { ImportError } from '@clientele/import';
import { NoPostgresError } from '@clientele/sandbox';
import {
  ConfigError,
  DatabaseUnfitError,
  isConnectionError,
  MigrationError,
} from '@clientele/server';

/** An error of ours, whose message is already meant for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

export function explain(error: unknown): string {
  const meantForPeople = [
    CommandError,
    ConfigError,
    DatabaseUnfitError,
    ImportError,
    MigrationError,
    NoPostgresError,
  ];
  if (meantForPeople.some((kind) => error instanceof kind)) return (error as Error).message;
  if (isConnectionError(error)) {
    return 'The database of DATABASE_URL does not answer. Is it running, and is the address right?';
  }
  const { code, message, stack } = error as Error & { code?: string };
  switch (code) {
    case '28P01':
    case '28000':
      return 'The database refused the user or password of DATABASE_URL.';
    case '3D000':
      return 'The database named in DATABASE_URL does not exist. Create it first: createdb NAME';
    case '3F000':
    case '42P01':
      return 'The database has no Clientele tables yet. Run: clientele migrate';
    case '42501':
      if (message.includes('temporary tables')) {
        return 'Importing stages records in temporary tables, which the user of DATABASE_URL may not make. The owner can allow it: grant temporary on database NAME to clientele_writer';
      }
      return `The user of DATABASE_URL lacks a right: ${message}`;
    case 'EADDRINUSE':
      return 'The port is taken. Choose another with PORT, or stop what listens there.';
    case 'EADDRNOTAVAIL':
      return 'HOST is not an address of this machine. 0.0.0.0 stands for all that it has.';
    case 'EACCES':
      return 'This user may not listen on that port. Choose one above 1023 with PORT.';
    case 'ENOSPC':
      return 'The disk is full.';
    case '40001':
      return 'The replica needed to catch up and ended the query. Try again, or ask the primary.';
    default:
      return `this is a bug. ${stack ?? message}`;
  }
}
