/** The options that `import` and `sync` share. */
import { statSync } from 'node:fs';
import { basename, format, parse } from 'node:path';
import {
  acceptable,
  checkRejectPaths,
  currencyCode,
  fieldNames,
  isAcceptable,
  nearest,
  RejectFile,
  type Acceptable,
  type Accepted,
  type DateOrder,
  type Target,
} from '@clientele/import';
import { InvalidArgumentError, Option, type Command } from 'commander';

export interface ReadingOptions {
  map: ReadonlyMap<string, Target>;
  idColumn?: string;
  nameFromEmail?: boolean;
  dates?: DateOrder;
  timezone?: string;
  currency?: string;
  null: string[];
  raw?: boolean;
  accept: Accepted;
  rejects?: string;
  quiet?: boolean;
  json?: boolean;
}

/** The command completed, but some records were rejected. */
export const exitWithRejects = 3;

/** Parses an option that may be repeated. */
export const collect = (value: string, before: string[] = []): string[] => [...before, value];

export function withReadingOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--map <theirs=ours>',
        'import column THEIRS as field OURS, or ignore it; can be repeated; a.b is key b of object a',
      )
        .argParser(addMapping)
        .default(new Map(), 'matched by name'),
    )
    .option(
      '--id-column <system:name>',
      'derive UUIDs from this column of this system, for data without UUIDs',
    )
    .option('--name-from-email', 'use the e-mail address as the name of customers without one')
    .addOption(new Option('--dates <order>', 'how to read 03/04/2026').choices(['dmy', 'mdy']))
    .option('--timezone <name>', 'zone of times without one, such as Europe/Berlin', parseZone)
    .option('--currency <code>', 'accept only amounts in this currency', parseCurrency)
    .addOption(
      new Option('--null <text>', 'treat this text as an empty value; can be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .addOption(
      new Option('--accept <kinds>', 'what need not stop the command, as its message names it')
        .argParser(addAccepted)
        .default(new Set(), 'nothing'),
    )
    .option('--raw', 'take values as written, for files of export --raw')
    .option('--rejects <file>', 'file for rejected records (default: FILE.rejected)')
    .option('--quiet', 'no progress and no summary')
    .option('--json', 'print the summary as JSON on standard output');
}

/** The options that say how to read records. */
export function recordOptions(options: ReadingOptions) {
  const { map, idColumn, nameFromEmail, dates, timezone, currency, raw, accept } = options;
  const nulls = options.null;
  return {
    map,
    idColumn,
    nameFromEmail,
    dates,
    timeZone: timezone,
    currency,
    nulls,
    raw,
    accept,
  };
}

function addMapping(text: string, before: ReadonlyMap<string, Target>): Map<string, Target> {
  const separator = text.lastIndexOf('=');
  if (separator < 1) throw new InvalidArgumentError('It must have the form THEIRS=OURS.');
  const [theirs, ours] = [text.slice(0, separator), text.slice(separator + 1)];
  const targets: Target[] = [...fieldNames, 'ignore'];
  const target = targets.find((name) => name === ours);
  if (!target) {
    const near = nearest(ours, targets);
    const hint = near ? `Did you mean ${near}?` : `The fields are ${targets.join(', ')}.`;
    throw new InvalidArgumentError(`There is no field ${ours}. ${hint}`);
  }
  return new Map([...before, [theirs, target]]);
}

function addAccepted(text: string, before: Accepted): Set<Acceptable> {
  const kinds = text.split(',').map((kind) => {
    if (isAcceptable(kind)) return kind;
    const all = Object.keys(acceptable);
    const near = nearest(kind, all);
    throw new InvalidArgumentError(
      near === undefined ? `It must be one of: ${all.join(', ')}.` : `Did you mean ${near}?`,
    );
  });
  return new Set([...before, ...kinds]);
}

function parseZone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    const near = nearest(text, Intl.supportedValuesOf('timeZone'));
    throw new InvalidArgumentError(
      near ? `Did you mean ${near}?` : 'Use a name like Europe/Berlin.',
    );
  }
}

function parseCurrency(text: string): string {
  const code = currencyCode(text);
  if (code === undefined) throw new InvalidArgumentError('It must be a code such as EUR.');
  return code;
}

/** A file of rejected records for each input, none of which is an input. */
export async function openRejects(
  paths: string[],
  { rejects }: ReadingOptions,
): Promise<RejectFile[]> {
  const taken = new Set<string>();
  const files = paths.map((path) => {
    const wanted = rejects ?? `${path === '-' ? 'stdin' : basename(path)}.rejected`;
    const name = isDevice(wanted) ? wanted : firstFree(wanted, taken);
    taken.add(name);
    return new RejectFile(name);
  });
  await checkRejectPaths([...taken], paths);
  return files;
}

/** Inputs with the same name have different rejects: `a.rejected`, `a.2.rejected`, … */
function firstFree(wanted: string, taken: ReadonlySet<string>): string {
  const { dir, name, ext } = parse(wanted);
  let free = wanted;
  for (let n = 2; taken.has(free); n += 1) free = format({ dir, name: `${name}.${n}`, ext });
  return free;
}

/** Such as /dev/null, which all inputs can share. */
const isDevice = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === false;
