import { version } from '@clientele/directory';
import { Command, CommanderError } from 'commander';
import { auditCommand } from './commands/audit.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { eraseCommand } from './commands/erase.ts';
import { exportCommand } from './commands/export.ts';
import { generateCommand } from './commands/generate.ts';
import { healthCommand } from './commands/health.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { migrateCommand } from './commands/migrate.ts';
import { peopleCommand } from './commands/people.ts';
import { prepareCommand } from './commands/prepare.ts';
import { retentionCommand } from './commands/retention.ts';
import { secretCommand } from './commands/secret.ts';
import { serveCommand } from './commands/serve.ts';
import { subjectCommand } from './commands/subject.ts';
import { suppressionCommand } from './commands/suppression.ts';
import { syncCommand } from './commands/sync.ts';
import { explain } from './explain.ts';
import { visibleLines } from './visible.ts';

/** In the order in which a person needs them. */
const groups = {
  'Run:': [demoCommand, migrateCommand, serveCommand, healthCommand],
  'Data:': [importCommand, syncCommand, exportCommand, generateCommand],
  'Access:': [keysCommand, peopleCommand],
  'Privacy:': [
    auditCommand,
    secretCommand,
    subjectCommand,
    eraseCommand,
    suppressionCommand,
    retentionCommand,
  ],
  'Maintenance:': [doctorCommand, prepareCommand],
};

/** Defines all commands and runs none. */
export function createProgram(): Command {
  const program = new Command('clientele')
    .description('A customer directory: any page, any search, the exact total.')
    .version(version)
    .addHelpText(
      'after',
      `
Environment variables:
  DATABASE_URL   postgres://user:password@host:5432/database; DATABASE_URL_FILE: a file with the URL
  HOST, PORT     address to listen on (default: 127.0.0.1, 8080)
This package contains the documentation. All settings are in docs/operations.md.

Exit codes: 0 success, 1 failure, 2 wrong usage, 3 success, but some records were rejected,
or an erasure has to wait for a transaction.`,
    );
  for (const [heading, commands] of Object.entries(groups)) {
    for (const create of commands) program.addCommand(create().helpGroup(heading));
  }
  for (const command of allCommands(program)) {
    command.exitOverride().showHelpAfterError('(see --help)');
  }
  return program;
}

/** A command with all its subcommands. */
export function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

/** A reader that has seen enough, such as `head`, is not an error. Whatever else happens, the output is not complete. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`clientele: Cannot write the output. ${explain(error)}\n`);
  process.exit(1);
}

/** Runs the command in process.argv and sets the exit code. */
export async function run(): Promise<void> {
  process.stdout.on('error', onOutputError);
  // There is nowhere else to say it.
  process.stderr.on('error', () => undefined);
  try {
    await createProgram().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else {
      process.stderr.write(`clientele: ${visibleLines(explain(error))}\n`);
      process.exitCode = 1;
    }
  }
}
