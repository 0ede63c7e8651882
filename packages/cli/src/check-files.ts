/** `import --check`: reads whole files and reports what importing them would do. */
import {
  addTallies,
  ImportCheck,
  noTally,
  RejectFile,
  replaceWith,
  rules,
  type Reject,
  type Replaced,
  type Table,
  type Tally,
} from '@clientele/import';
import { readSecretPath } from '@clientele/directory';
import type { ImportOptions } from './import-options.ts';
import { examineInputs, openInputs, whyRefused, type Inputs } from './open-inputs.ts';
import { startProgress } from './progress.ts';
import { openRejects } from './reading-options.ts';
import { countsText, supersededText } from './summary.ts';
import { visibleLines } from './visible.ts';

interface Check {
  databaseUrl: string;
  inputs: Inputs;
  options: ImportOptions;
  rejects: RejectCounts[];
  log: (line: string) => void;
  onProgress: (read: number) => void;
  signal: AbortSignal;
}

export async function checkFiles(
  databaseUrl: string,
  paths: string[],
  options: ImportOptions,
  signal: AbortSignal,
): Promise<Tally> {
  const { quiet, json } = options;
  const messages: string[] = [];
  const log = (line: string): void => {
    messages.push(line);
    if (!quiet && !json) process.stdout.write(`${visibleLines(line)}\n`);
  };
  // A check leaves nothing behind, so rejected records are listed only if the file for them is named.
  const files = options.rejects === undefined ? [] : await openRejects(paths, options);
  const rejects = paths.map((_, i) => new RejectCounts(files[i]));
  using inputs = await openInputs(paths, options, signal);
  const refused = await whyRefused(examineInputs(inputs, { databaseUrl, options, log, signal }));
  const progress = startProgress({ label: 'Checking', unit: 'rows', quiet });
  const onProgress = (read: number): void => progress.update(read);
  const check = { databaseUrl, inputs, options, rejects, log, onProgress, signal };
  try {
    const sum = options.replace ? await checkReplace(check) : await checkEach(check);
    progress.stop();
    for (const line of describe(sum)) log(line);
    const list = rejects.flatMap(({ list: found }, i) =>
      found.map((each) => ({ file: paths[i], ...each })),
    );
    if (json) process.stdout.write(`${JSON.stringify({ ...sum, rejects: list, messages })}\n`);
    if (refused) throw refused;
    return sum;
  } finally {
    progress.stop();
    for (const [i, path] of paths.entries()) {
      for (const each of rejects[i]!.list) log(`${path}: rejected: ${describeRejects(each)}`);
    }
    log('Nothing was written.');
  }
}

function* describe(sum: Tally | Replaced): Generator<string> {
  const { read, inserted, updated, unchanged, rejected, superseded, suppressed } = sum;
  const parts = countsText({ inserted, updated, unchanged, rejected, superseded, suppressed });
  yield `Read ${read} records. An import would give: ${parts}.`;
  if ('removed' in sum) yield `It would remove ${sum.removed} customers that are not in the files.`;
  if (superseded > 0) yield supersededText(sum.supersededBy);
}

async function checkEach({ databaseUrl, inputs, options, ...check }: Check): Promise<Tally> {
  const session = await ImportCheck.open(databaseUrl, readSecretPath(process.env));
  try {
    let sum: Tally = noTally;
    for (const [i, table] of inputs.tables.entries()) {
      const before = sum;
      const tally = await session.check(table, {
        batchSize: options.batch,
        asOf: options.asOf,
        rejects: check.rejects[i]!,
        log: check.log,
        onProgress: ({ read }) => check.onProgress(before.read + read),
        signal: check.signal,
      });
      sum = addTallies(sum, tally);
    }
    return sum;
  } finally {
    await session.close();
  }
}

function checkReplace({ inputs, options, ...check }: Check): Promise<Replaced> {
  const { asOf, batch, accept, despiteRejects } = options;
  const confirm = (): Promise<void> => Promise.resolve();
  const secretFile = readSecretPath(process.env);
  const settings = { secretFile, asOf, batch, accept, despiteRejects, confirm, check: true };
  return replaceWith(inputs.tables, { ...check, ...settings });
}

interface RejectCount {
  column: string;
  rule: Reject['rule'];
  explanation: string;
  count: number;
  /** Of the first of them. */
  line: number;
}

const describeRejects = ({ column, rule, explanation, count, line }: RejectCount): string =>
  `${count} × ${column === '' ? 'record' : `"${column}"`} ${explanation} (${rule}, first on line ${line})`;

/** Counts rejects by column and rule. */
class RejectCounts extends RejectFile {
  readonly #found = new Map<string, RejectCount>();
  readonly #file: RejectFile | undefined;

  /** `file` lists them too, if given. */
  constructor(file: RejectFile | undefined) {
    super(file?.path ?? '');
    this.#file = file;
  }

  override write(length: number, rejects: readonly Reject[]): number {
    for (const reject of rejects) {
      const { column, rule, line } = reject;
      const key = `${rule} ${column}`;
      const found = this.#found.get(key);
      const explanation = rules[rule];
      if (found) found.count += 1;
      else this.#found.set(key, { column, rule, explanation, count: 1, line });
    }
    return this.#file?.write(length, rejects) ?? 0;
  }

  /** The file is read from the start, by `--replace` again if the database refuses records. */
  override useLayout(layout: Table['rejectLayout']): void {
    this.#found.clear();
    this.#file?.useLayout(layout);
  }

  /** A check leaves everything as it is. */
  override removeStale(): void {
    this.close();
  }

  override close(): void {
    this.#file?.close();
  }

  get list(): RejectCount[] {
    return [...this.#found.values()].toSorted((a, b) => b.count - a.count);
  }
}
