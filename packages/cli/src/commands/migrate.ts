import { repairFirstImport } from '@clientele/import';
import { DatabaseUnfitError, isConnectionError, migrate, readMigrations } from '@clientele/server';
import { Command } from 'commander';
import type pg from 'pg';
import { connectToDatabase } from '../database.ts';
import { createLog } from '../log.ts';
import { retryFor, waitOption, type Wait } from '../wait-option.ts';

interface MigrateOptions {
  wait?: Wait;
  quiet?: boolean;
  json?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('create or update the tables; can be run at any time')
    .addOption(waitOption('the database to accept connections'))
    .option('--quiet', 'print only errors')
    .option('--json', 'print the applied migrations as one line of JSON on standard output')
    .action(async ({ wait, quiet, json }: MigrateOptions) => {
      const log = createLog(quiet || json);
      const migrations = await readMigrations();
      const client = await connectWithin(wait, log);
      try {
        const applied = await migrate(client, migrations, log);
        await repairFirstImport(client, log);
        if (applied.length === 0) log('The database is up to date.');
        if (json) process.stdout.write(`${JSON.stringify({ applied })}\n`);
      } finally {
        await client.end();
      }
    });
}

/** Waits for a database that starts, or whose primary has still to be chosen. */
function connectWithin(wait: Wait, log: (line: string) => void): Promise<pg.Client> {
  let waits = false;
  return retryFor(wait, connectToDatabase, (error) => {
    if (!isConnectionError(error) && !(error instanceof DatabaseUnfitError)) return false;
    if (!waits) log('Waiting for the database.');
    waits = true;
    return true;
  });
}
