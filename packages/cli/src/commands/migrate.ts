import { migrate, readMigrations } from '@clientele/server';
import { Command } from 'commander';
import { withDatabase } from '../database.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database of DATABASE_URL up to date; safe to run at any time')
    .option('--quiet', 'say nothing but errors')
    .option('--json', 'what was applied as one line of JSON, on standard output')
    .action(async ({ quiet, json }: { quiet?: boolean; json?: boolean }) => {
      const say = (words: string): void => void (quiet || json || process.stderr.write(words));
      const migrations = await readMigrations();
      const applied = await withDatabase((client) =>
        migrate(client, migrations, (name) => say(`applied ${name}\n`)),
      );
      if (applied.length === 0) say('the database is up to date\n');
      if (json) process.stdout.write(`${JSON.stringify({ applied })}\n`);
    });
}
