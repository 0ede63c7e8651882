import { examine, readConnections, readMigrations, type NamedFinding } from '@clientele/server';
import { Command } from 'commander';
import { withDatabase } from '../database.ts';

interface DoctorOptions {
  quiet?: boolean;
  json?: boolean;
}

const marks = { ok: 'ok', warning: 'warning', mend: 'MEND', unknown: 'unknown' };

async function doctor({ quiet, json }: DoctorOptions): Promise<void> {
  const connections = readConnections(process.env);
  const migrations = await readMigrations();
  const findings: NamedFinding[] = [];
  await withDatabase(async (client) => {
    const circumstances = { client, migrations, connections, longTransaction: 300, now: Date.now };
    for await (const finding of examine(circumstances)) {
      findings.push(finding);
      if (!json && !(quiet && finding.state === 'ok')) process.stdout.write(words(finding));
    }
  });
  const counts = { ok: 0, warning: 0, mend: 0, unknown: 0 };
  for (const { state } of findings) counts[state] += 1;
  if (json) process.stdout.write(`${JSON.stringify({ ...counts, findings })}\n`);
  else if (!quiet) {
    process.stderr.write(
      `${counts.mend} must be mended, ${counts.warning} warnings, ${counts.unknown} unknown, ` +
        `${counts.ok} ok\n`,
    );
  }
  if (counts.mend > 0) process.exitCode = 1;
}

function words({ state, check, found, remedy }: NamedFinding): string {
  const line = `${marks[state].padEnd(9)}${check}: ${found}\n`;
  return remedy === undefined ? line : `${line}${' '.repeat(9)}→ ${remedy}\n`;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('examine the database of DATABASE_URL and tell what to do; changes nothing')
    .option('--quiet', 'tell only what is not as it should be')
    .option('--json', 'the findings as one line of JSON')
    .addHelpText(
      'after',
      `
Each finding is ok, a warning, something that must be mended, or unknown to this login. See more as a
superuser or a member of pg_monitor. CLIENTELE_CONNECTIONS is read too.
Exit codes: 0 nothing must be mended, 1 something must, or the database does not answer.`,
    )
    .action(doctor);
}
