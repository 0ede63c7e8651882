import { repairFirstImport } from '@clientele/import';
import { migrate, readMigrations } from '@clientele/server';
import { Command } from 'commander';
import { connectToDatabase } from '../database.ts';
import { createLog } from '../log.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('create or update the tables; can be run at any time')
    .option('--quiet', 'print only errors')
    .option('--json', 'print the applied migrations as one line of JSON on standard output')
    .action(async ({ quiet, json }: { quiet?: boolean; json?: boolean }) => {
      const log = createLog(quiet || json);
      const migrations = await readMigrations();
      const client = await connectToDatabase();
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
