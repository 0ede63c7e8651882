/** How `import` and `sync` read records: the options that both take. */
import { basename } from 'node:path';
import { fieldNames, nearest, RejectFile, type DateOrder, type Field } from '@clientele/import';
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

/** Done, but some records were rejected. */
export const exitWithRejects = 3;

export function withReadingOptions(command: Command): Command {
  return command
    .option('--map <theirs=ours>', 'which field a column is; repeat as needed', readMap, new Map())
    .option('--id-column <name>', 'derive identifiers from this column; for data without UUIDs')
    .addOption(new Option('--dates <order>', 'how to read 03/04/2026').choices(['dmy', 'mdy']))
    .option('--rejects <file>', 'where to list rejected records (FILE.rejects.csv)')
    .option('--reject-values', 'list the rejected values too; they are personal data')
    .option('--quiet', 'no progress, no summary')
    .option('--json', 'print the summary as JSON on standard output');
}

/** `--map theirs=ours`, as often as needed. */
function readMap(word: string, before: ReadonlyMap<string, Field>): Map<string, Field> {
  const cut = word.lastIndexOf('=');
  const [theirs, ours] = [word.slice(0, cut), word.slice(cut + 1)];
  if (cut < 1) throw new InvalidArgumentError('It must be THEIRS=OURS.');
  const field = fieldNames.find((name) => name === ours);
  if (!field) {
    const near = nearest(ours, fieldNames);
    const remedy = near ? `Did you mean ${near}?` : `There are ${fieldNames.join(', ')}.`;
    throw new InvalidArgumentError(`There is no field ${ours}. ${remedy}`);
  }
  return new Map([...before, [theirs, field]]);
}

export function openRejects(path: string, { rejects, rejectValues }: ReadingOptions): RejectFile {
  const file = rejects ?? `${path === '-' ? 'stdin' : basename(path)}.rejects.csv`;
  return new RejectFile(file, rejectValues === true);
}
