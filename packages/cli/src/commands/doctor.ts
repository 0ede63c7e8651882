import {
  examineNodes,
  type NodeFinding,
  readConnections,
  readDatabaseUrl,
  readLedgerSettings,
  readMigrations,
} from '@clientele/directory';
import { Command } from 'commander';
import { visibleLines } from '../visible.ts';

interface DoctorOptions {
  quiet?: boolean;
  json?: boolean;
}

const labels: Record<NodeFinding['state'], string> = {
  ok: 'ok',
  warning: 'warning',
  'must-fix': 'MUST FIX',
  unknown: 'unknown',
};
const indent = 10;

async function doctor({ quiet, json }: DoctorOptions): Promise<void> {
  const connections = readConnections(process.env);
  const migrations = await readMigrations();
  const findings: NodeFinding[] = [];
  const ledger = readLedgerSettings(process.env);
  const circumstances = { migrations, connections, ledger, longTransaction: 300, now: Date.now };
  for await (const finding of examineNodes(readDatabaseUrl(process.env), circumstances)) {
    findings.push(finding);
    if (!json && !(quiet && finding.state === 'ok'))
      process.stdout.write(visibleLines(describe(finding)));
  }
  const counts = { ok: 0, warning: 0, 'must-fix': 0, unknown: 0 };
  for (const { state } of findings) counts[state] += 1;
  if (json) process.stdout.write(`${JSON.stringify({ ...counts, findings })}\n`);
  else if (!quiet) {
    process.stderr.write(
      `${counts['must-fix']} must be fixed, ${counts.warning} warnings, ${counts.unknown} unknown, ` +
        `${counts.ok} ok\n`,
    );
  }
  if (counts['must-fix'] > 0) process.exitCode = 1;
  else if (findings.some(({ isWrongLogin }) => isWrongLogin)) process.exitCode = 3;
}

function describe({ state, node, check, found, remedy }: NodeFinding): string {
  const where = node === undefined ? '' : `${node} `;
  const line = `${labels[state].padEnd(indent)}${where}${check}: ${found}\n`;
  return remedy === undefined ? line : `${line}${' '.repeat(indent)}→ ${remedy}\n`;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the database for problems and suggest fixes; changes nothing')
    .option('--quiet', 'print only problems')
    .option('--json', 'print the findings as one line of JSON')
    .addHelpText(
      'after',
      `
Each check is reported as ok, warning, MUST FIX or unknown. Unknown means that the user in
DATABASE_URL lacks permissions: use that of the server or of the owner, clientele_serve or
clientele_owner. A superuser or a member of pg_monitor can see more.
If the server runs with CLIENTELE_CONNECTIONS or CLIENTELE_LEDGER_FILE, set it here too.
Exit codes: 0 nothing must be fixed, 1 something must be fixed, or the database does not respond,
3 nothing must be fixed as far as this user may read, which is not all of Clientele's tables.`,
    )
    .action(doctor);
}
