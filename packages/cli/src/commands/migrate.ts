import { repairFirstImport } from '@clientele/import';
import {
  DatabaseUnfitError,
  isConnectionError,
  migrate,
  readMigrations,
  schemaProblem,
} from '@clientele/directory';
import { Command } from 'commander';
import type pg from 'pg';
import { connectToDatabase } from '../database.ts';
import { CommandError, explain } from '../explain.ts';
import { createLog } from '../log.ts';
import { prepareAfterMigration, reportUnfinished } from '../prepare-small-directory.ts';
import { retryFor, waitOption, type Wait } from '../wait-option.ts';

interface MigrateOptions {
  wait?: Wait;
  check?: boolean;
  quiet?: boolean;
  json?: boolean;
  prepare: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('create or update the tables; can be run at any time')
    .addOption(waitOption('the database to accept connections; with --check, to be up to date'))
    .option('--check', 'change nothing, and fail if the database is not up to date')
    .option(
      '--no-prepare',
      'do not prepare sorting and masking, which a directory below a million customers gets otherwise',
    )
    .option('--quiet', 'print only errors')
    .option('--json', 'print the applied migrations as one line of JSON on standard output')
    .action(async ({ wait, check, quiet, json, prepare }: MigrateOptions) => {
      const log = createLog(quiet || json);
      if (check) return checkWithin(wait, log);
      const migrations = await readMigrations();
      const client = await connectWithin(wait, log);
      try {
        const applied = await migrate(client, migrations, log);
        await repairFirstImport(client, log);
        if (applied.length === 0) log('The database is up to date.');
        if (prepare) await prepareAfterMigration(client, log);
        await reportUnfinished(client, log);
        if (json) process.stdout.write(`${JSON.stringify({ applied })}\n`);
      } finally {
        await client.end();
      }
    });
}

function connectWithin(wait: Wait, log: (line: string) => void): Promise<pg.Client> {
  let waits = false;
  return retryFor(wait, connectToDatabase, (error) => {
    if (!mayPass(error)) return false;
    if (!waits) log('Waiting for the database.');
    waits = true;
    return true;
  });
}

/** Waits until somebody else has migrated the database. Any login that may serve is enough. */
async function checkWithin(wait: Wait, log: (line: string) => void): Promise<void> {
  const migrations = await readMigrations();
  let waits = false;
  const check = async (): Promise<void> => {
    const client = await connectToDatabase();
    try {
      const problem = await schemaProblem(client, migrations);
      if (problem !== undefined) throw new CommandError(problem);
    } finally {
      await client.end();
    }
  };
  await retryFor(wait, check, (error) => {
    if (!(error instanceof CommandError || mayPass(error))) return false;
    if (!waits) log(`Waiting for the migration. ${explain(error)}`);
    waits = true;
    return true;
  });
  log('The database is up to date.');
}

/** The database is starting, or its primary has still to be chosen. */
const mayPass = (error: unknown): boolean =>
  isConnectionError(error) || error instanceof DatabaseUnfitError;
