/** The options that `import` and `sync` share. */
import { statSync } from 'node:fs';
import { basename, format, parse } from 'node:path';
import {
  checkRejectPaths,
  fieldNames,
  nearest,
  RejectFile,
  type DateOrder,
  type Field,
} from '@clientele/import';
import { InvalidArgumentError, Option, type Command } from 'commander';

export interface ReadingOptions {
  map: ReadonlyMap<string, Field>;
  idColumn?: string;
  dates?: DateOrder;
  rejects?: string;
  rejectValues?: boolean;
  quiet?: boolean;
  json?: boolean;
}

/** The command completed, but some records were rejected. */
export const exitWithRejects = 3;

export function withReadingOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--map <theirs=ours>', 'import column THEIRS as field OURS; can be repeated')
        .argParser(addMapping)
        .default(new Map(), 'matched by name'),
    )
    .option('--id-column <name>', 'derive UUIDs from this column, for data without UUIDs')
    .addOption(new Option('--dates <order>', 'how to read 03/04/2026').choices(['dmy', 'mdy']))
    .option('--rejects <file>', 'file that lists rejected records (default: FILE.rejects.csv)')
    .option('--reject-values', 'include the rejected values, which are personal data')
    .option('--quiet', 'no progress and no summary')
    .option('--json', 'print the summary as JSON on standard output');
}

function addMapping(text: string, before: ReadonlyMap<string, Field>): Map<string, Field> {
  const separator = text.lastIndexOf('=');
  if (separator < 1) throw new InvalidArgumentError('It must have the form THEIRS=OURS.');
  const [theirs, ours] = [text.slice(0, separator), text.slice(separator + 1)];
  const field = fieldNames.find((name) => name === ours);
  if (!field) {
    const near = nearest(ours, fieldNames);
    const hint = near ? `Did you mean ${near}?` : `The fields are ${fieldNames.join(', ')}.`;
    throw new InvalidArgumentError(`There is no field ${ours}. ${hint}`);
  }
  return new Map([...before, [theirs, field]]);
}

/** A file of rejected records for each input, none of which is an input. */
export async function openRejects(
  paths: string[],
  { rejects, rejectValues }: ReadingOptions,
): Promise<RejectFile[]> {
  const taken = new Set<string>();
  const files = paths.map((path) => {
    const wanted = rejects ?? `${path === '-' ? 'stdin' : basename(path)}.rejects.csv`;
    const name = isDevice(wanted) ? wanted : firstFree(wanted, taken);
    taken.add(name);
    return new RejectFile(name, rejectValues === true);
  });
  await checkRejectPaths([...taken], paths);
  return files;
}

/** Inputs with the same name have different rejects: `rejects.csv`, `rejects.2.csv`, … */
function firstFree(wanted: string, taken: ReadonlySet<string>): string {
  const { dir, name, ext } = parse(wanted);
  let free = wanted;
  for (let n = 2; taken.has(free); n += 1) free = format({ dir, name: `${name}.${n}`, ext });
  return free;
}

/** Such as /dev/null, which all inputs can share. */
const isDevice = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === false;
