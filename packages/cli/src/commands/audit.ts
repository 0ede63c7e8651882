import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import {
  type AuditFilter,
  type AuditReport,
  checkpointsIn,
  damagedFiles,
  defaultSpool,
  keepAuditMonths,
  nodeUrls,
  readAudit,
  readDatabaseUrl,
  readPublicKey,
  readSecretFile,
  searchHash,
  type StoredEntry,
  verifyAudit,
} from '@clientele/directory';
import { Command, InvalidArgumentError } from 'commander';
import { withDatabase } from '../database.ts';
import { CommandError } from '../explain.ts';
import { runUntilPipeCloses } from '../run-until-pipe-closes.ts';
import { many } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';
import { visible } from '../visible.ts';

interface FilterOptions {
  since?: Date;
  until?: Date;
  caller?: string;
  search?: string;
  limit?: number;
  json?: boolean;
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('Give a date or time like 2026-01-31 or 2026-01-31T09:00:00Z.');
  }
  return time;
}

function parseUuid(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('Give the UUID of a customer.');
}

const withFilters = (command: Command): Command =>
  command
    .option('--since <time>', 'only answers from this time on', parseTime)
    .option('--until <time>', 'only answers before this time', parseTime)
    .option('--caller <id>', 'only answers to this key, person or login');

async function toFilter({ search, json: _json, ...filter }: FilterOptions): Promise<AuditFilter> {
  if (search === undefined) return filter;
  const { searchKey } = await readSecretFile(secretFile());
  return { ...filter, searchHash: searchHash(search, searchKey) };
}

function secretFile(): string {
  const path = process.env['CLIENTELE_SECRET_FILE'];
  if (path) return path;
  throw new CommandError(
    'Searches are recorded as hashes with a key. Set CLIENTELE_SECRET_FILE to the file that has it.',
  );
}

const paged = new Set(['list', 'search', 'export']);

function toLine(entry: StoredEntry): string {
  const { at, caller_kind, caller_id, caller_name, address, action, page, shown, total, target } =
    entry;
  const caller = caller_kind === 'none' ? 'anybody' : `${caller_kind} ${caller_id}`;
  const what = paged.has(action) ? `${action} page ${page}` : `${action} ${target ?? ''}`.trim();
  const count = target !== null ? '-' : total === null ? `${shown} shown` : `${shown} of ${total}`;
  const columns = [at.toISOString(), caller, caller_name, address, what, count, entry.request_id];
  return columns.map(visible).join('\t');
}

/** Prints entries as they are read. */
async function print(
  filter: AuditFilter,
  { newestFirst, json }: { newestFirst: boolean; json: boolean },
): Promise<void> {
  let count = 0;
  const complete = await runUntilPipeCloses(process.stdout, () =>
    withDatabase((client) => {
      const lines = async function* (): AsyncGenerator<string> {
        for await (const entry of readAudit(client, filter, { newestFirst })) {
          count += 1;
          yield `${json ? JSON.stringify(entry) : toLine(entry)}\n`;
        }
      };
      return pipeline(lines, process.stdout, { end: false });
    }),
  );
  if (complete && count === 0 && !json) process.stderr.write('No recorded answer matches.\n');
}

interface VerifyOptions {
  log?: string;
  publicKey?: string;
  json?: boolean;
}

async function verify({ log, publicKey, json }: VerifyOptions): Promise<void> {
  const file = process.env['CLIENTELE_SECRET_FILE'];
  const key =
    publicKey !== undefined
      ? readPublicKey(publicKey)
      : file
        ? (await readSecretFile(file)).publicKey
        : undefined;
  const checkpoints = log === undefined ? [] : checkpointsIn(await linesOf(log));
  if (log !== undefined && checkpoints.length === 0) {
    throw new CommandError(
      `${log} has no checkpoint. Give the log of serve, with one JSON object per line.`,
    );
  }
  const damaged = await damagedFiles(await spoolFolder());
  const report = await withDatabase((client) =>
    verifyAudit(client, { publicKey: key, checkpoints, damagedFiles: damaged }),
  );
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : describe(report, key !== undefined));
  if (report.problems.length > 0) process.exitCode = 1;
}

/** That of a service with the same settings and user on this machine. */
const spoolFolder = async (): Promise<string> =>
  process.env['CLIENTELE_AUDIT_SPOOL'] ||
  (await defaultSpool(nodeUrls(readDatabaseUrl(process.env)) ?? []));

async function linesOf(path: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      if (line.includes('"audit_checkpoint"')) lines.push(line);
    }
  } catch {
    throw new CommandError(`Cannot read ${path}.`);
  }
  return lines;
}

function describe(report: AuditReport, hasKey: boolean): string {
  const { chains, batches, entries, signed, unsigned, uncovered, keptSince, problems } = report;
  const lines = [
    ...(entries === 0
      ? ['THE AUDIT HAS NO ENTRIES: nothing was ever recorded, or everything was removed.']
      : []),
    `${many(entries, 'entry', 'entries')} in ${many(batches, 'batch', 'batches')} of ${many(chains, 'chain')}.`,
    hasKey
      ? `${many(signed, 'checkpoint')} with a right signature, ${unsigned} without one.`
      : `${many(signed + unsigned, 'checkpoint')}. Signatures were not checked: set CLIENTELE_SECRET_FILE, or give --public-key.`,
    `${many(uncovered, 'batch', 'batches')} since the last signed checkpoint of their chain.`,
    `The owner keeps entries since ${keptSince}: earlier months may have been dropped.`,
    ...problems,
    problems.length === 0
      ? entries === 0
        ? 'There is nothing to verify.'
        : 'Nothing was changed, removed or reordered.'
      : `${many(problems.length, 'problem')}: the audit is not as it was recorded.`,
  ];
  return `${lines.join('\n')}\n`;
}

export function auditCommand(): Command {
  const list = withFilters(new Command('list'))
    .description('list answers about customers, newest first')
    .option('--search <text>', 'only answers to this search; needs CLIENTELE_SECRET_FILE')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 1_000_000), 100)
    .option('--json', 'print each as a line of JSON, with the customers')
    .action(async (options: FilterOptions) =>
      print(await toFilter(options), { newestFirst: true, json: options.json ?? false }),
    );

  const whoSaw = withFilters(new Command('who-saw'))
    .description('list the answers that showed a customer, newest first')
    .argument('<uuid>', 'the customer', parseUuid)
    .option('--json', 'print each as a line of JSON, with all its customers')
    .action(async (customer: string, options: FilterOptions) =>
      print(
        { ...(await toFilter(options)), customer },
        { newestFirst: true, json: options.json ?? false },
      ),
    );

  const exportAll = withFilters(new Command('export'))
    .description('print all entries as lines of JSON, oldest first')
    .action(async (options: FilterOptions) =>
      print(await toFilter(options), { newestFirst: false, json: true }),
    );

  const verifyAll = new Command('verify')
    .description('check that no entry was changed, removed or reordered; exit code 1 if one was')
    .option('--log <file>', 'a log of serve: its checkpoints must agree with the database')
    .option(
      '--public-key <key>',
      'what checkpoints are signed with; several after commas (default: from CLIENTELE_SECRET_FILE)',
    )
    .option('--json', 'print the result as one line of JSON')
    .action(verify);

  const keep = new Command('keep')
    .description(
      'show or set how many months are kept besides the current one; older ones are dropped',
    )
    .argument('[months]', 'from 1 to 1200', wholeNumber(1, 1_200))
    .action(async (months: number | undefined) => {
      const kept = await withDatabase((client) => keepAuditMonths(client, months));
      process.stdout.write(`${kept}\n`);
    });

  return new Command('audit')
    .description(
      'show who saw which customers, and verify that record; run it as the owner of the database',
    )
    .addCommand(list)
    .addCommand(whoSaw)
    .addCommand(verifyAll)
    .addCommand(exportAll)
    .addCommand(keep);
}
