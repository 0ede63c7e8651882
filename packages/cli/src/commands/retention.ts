import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  countDue,
  type DueCounts,
  eraseDue,
  parseRetentionRules,
  readDue,
  readToday,
  type RetentionRule,
  RetentionRulesError,
} from '@clientele/directory';
import { Command } from 'commander';
import type pg from 'pg';
import { confirm } from '../confirm.ts';
import { clearPending, describeRemaining, noLedger, openErasing, withWriter } from '../erasure.ts';
import { CommandError } from '../explain.ts';
import { createLog } from '../log.ts';
import { startProgress } from '../progress.ts';
import { exitWithRejects } from '../reading-options.ts';
import { runUntilPipeCloses } from '../run-until-pipe-closes.ts';
import { stopSignal } from '../stop-signal.ts';
import { secondsSince } from '../summary.ts';

interface RetentionOptions {
  dryRun?: boolean;
  yes?: boolean;
  allowMany?: boolean;
  ledger?: string;
  json?: boolean;
  quiet?: boolean;
}

/** A rule that is due for more customers than this is more likely a mistake. */
const mostShare = 0.2;
const listed = 20;

async function retention(path: string, options: RetentionOptions): Promise<void> {
  const log = createLog(options.quiet);
  await withWriter(async (client) => {
    const today = await readToday(client);
    const rules = await readRules(path, today);
    const counts = await countDue(client, rules, today);
    log(describe(counts, today));
    if (options.dryRun) return list(client, rules, { ...options, today, due: counts.due });
    const erasing = await openErasing(options.ledger);
    checkShare(counts, options);
    if (counts.due > 0 && !options.yes) {
      await confirm({
        answer: String(counts.due),
        purpose: 'to erase these customers for good',
      });
    }
    if (!erasing.ledger) log(noLedger);
    const started = performance.now();
    const erased = await erase(client, rules, { ...erasing, today }, { ...options, ...counts });
    const left = await clearPending(client);
    log(describeRemaining(left));
    if (left.remaining > 0) process.exitCode = exitWithRejects;
    if (!options.json) return;
    const { customers, due } = counts;
    const summary = { today, customers, due, ...erased, ...left, seconds: secondsSince(started) };
    process.stdout.write(`${JSON.stringify(summary)}\n`);
  });
}

async function readRules(path: string, today: string): Promise<RetentionRule[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot read ${path} (${error.code}).`);
  });
  try {
    return parseRetentionRules(text, today);
  } catch (error) {
    if (!(error instanceof RetentionRulesError)) throw error;
    throw new CommandError(`${path}:\n${error.message}`);
  }
}

function describe({ customers, due, rules }: DueCounts, today: string): string {
  const parts = rules.map((rule) => `  ${rule.name}: ${rule.due}`);
  return [`On ${today}, ${due} of ${customers} customers are due.`, ...parts].join('\n');
}

/** Lines with the identifier, the rule, and the days of creation and of the last order. */
async function list(
  client: pg.Client,
  rules: RetentionRule[],
  { today, due, json, quiet }: RetentionOptions & { today: string; due: number },
): Promise<void> {
  const limit = json ? undefined : listed;
  if (!json && due > listed) createLog(quiet)(`The oldest ${listed}; --json lists all:`);
  await runUntilPipeCloses(process.stdout, async () => {
    for await (const batch of readDue(client, rules, { today, limit })) {
      const lines = batch.map((each) => {
        if (json) return `${JSON.stringify(each)}\n`;
        const ordered = each.last_order_at ? `ordered ${day(each.last_order_at)}` : 'never ordered';
        return `${[each.uuid, each.rule, `created ${day(each.created_at)}`, ordered].join('\t')}\n`;
      });
      if (!process.stdout.write(lines.join(''))) await once(process.stdout, 'drain');
    }
  });
}

const day = (time: string): string => time.slice(0, time.indexOf('T'));

function checkShare({ customers, due }: DueCounts, { allowMany = false }: RetentionOptions): void {
  if (allowMany || due <= mostShare * customers) return;
  throw new CommandError(
    `Nothing was changed: the rules would erase more than ${100 * mostShare} % of all customers. ` +
      'Check them with --dry-run. If they are right, add --allow-many.',
  );
}

interface Erased {
  erased: number;
  rules: { name: string; erased: number }[];
}

/** Stops between two batches on a signal; the next run continues. */
async function erase(
  client: pg.Client,
  rules: RetentionRule[],
  erasing: Parameters<typeof eraseDue>[2],
  { due, quiet }: RetentionOptions & DueCounts,
): Promise<Erased> {
  const stop = stopSignal('SIGINT', 'SIGTERM');
  const erased = new Map(rules.map(({ name }) => [name, 0]));
  let sum = 0;
  const progress = startProgress({ label: 'Erasing', total: due, unit: 'rows', quiet });
  try {
    for await (const batch of eraseDue(client, rules, erasing)) {
      sum += batch.erased;
      erased.set(batch.rule, erased.get(batch.rule)! + batch.erased);
      progress.update(sum);
      if (stop.aborted) break;
    }
  } finally {
    progress.stop();
  }
  createLog(quiet)(`Erased ${sum} of ${due} customers.`);
  if (stop.aborted) {
    throw new CommandError(
      'Stopped before all were erased. Run it again to continue, and to clear the traces of those who were.',
    );
  }
  return { erased: sum, rules: [...erased].map(([name, count]) => ({ name, erased: count })) };
}

export function retentionCommand(): Command {
  return new Command('retention')
    .description('erase customers whose retention period has ended, by the rules in a file')
    .argument('<rules>', 'a JSON file: docs/how-to/erase.md')
    .option('--dry-run', 'say how many are due and list the oldest 20, and change nothing')
    .option('--allow-many', `allow erasing more than ${100 * mostShare} % of all customers`)
    .option('--ledger <file>', 'the ledger of erasures (default: CLIENTELE_LEDGER_FILE)')
    .option('--yes', 'do not ask for confirmation')
    .option('--quiet', 'print only errors')
    .option(
      '--json',
      'print the result as one line of JSON; with --dry-run, each customer as a line',
    )
    .addHelpText(
      'after',
      `
Needs CLIENTELE_SECRET_FILE, except for a dry run. The login of imports has the rights it needs.
If a run is stopped, the next one continues it.
Exit code 3: erased, but a trace remains until an older transaction ends.`,
    )
    .action(retention);
}
