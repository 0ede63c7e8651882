#!/usr/bin/env node
/** The `clientele` executable. Data goes to standard output, talk to standard error. */
import { version } from '@clientele/server';
import { Command, CommanderError } from 'commander';
import { generateCommand } from './commands/generate.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { migrateCommand } from './commands/migrate.ts';
import { serveCommand } from './commands/serve.ts';
import { syncCommand } from './commands/sync.ts';
import { explain } from './explain.ts';

const program = new Command('clientele')
  .description('A customer directory: any page, any search, the exact total.')
  .version(version)
  .addHelpText(
    'after',
    `
Settings come from the environment:
  DATABASE_URL   postgres://user:password@host:5432/database
  HOST, PORT     where to listen (127.0.0.1, 8080)
More: docs/operations.md

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done but some records were rejected.`,
  )
  .addCommand(serveCommand())
  .addCommand(migrateCommand())
  .addCommand(keysCommand())
  .addCommand(generateCommand())
  .addCommand(importCommand())
  .addCommand(syncCommand());

for (const command of [
  program,
  ...program.commands,
  ...program.commands.flatMap((c) => c.commands),
]) {
  command.exitOverride().showHelpAfterError('(see --help)');
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`clientele: ${explain(error)}\n`);
    process.exitCode = 1;
  }
}
