import { migrate, readMigrations } from '@clientele/server';
import { Command } from 'commander';
import { withDatabase } from '../database.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database of DATABASE_URL up to date; safe to run at any time')
    .action(async () => {
      const migrations = await readMigrations();
      const applied = await withDatabase((client) =>
        migrate(client, migrations, (name) => process.stderr.write(`applied ${name}\n`)),
      );
      if (applied.length === 0) process.stderr.write('the database is up to date\n');
    });
}
