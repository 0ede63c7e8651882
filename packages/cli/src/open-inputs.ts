/** Opens the inputs of `import` and examines them before anything is written. */
import { examine, ImportError, openTable, type Table } from '@clientele/import';
import { tableOptions, type ImportOptions } from './import-options.ts';
import { startProgress } from './progress.ts';
import { saveStandardInput, type SavedInput } from './standard-input.ts';

export interface Input {
  /** As the user named it. */
  given: string;
  /** The file that is read. */
  path: string;
  table: Table;
}

export interface Inputs extends Disposable {
  list: Input[];
  tables: Table[];
}

/** A header that does not match stops the command before the first record. */
export async function openInputs(
  paths: string[],
  options: ImportOptions,
  signal?: AbortSignal,
): Promise<Inputs> {
  const settings = tableOptions(options);
  const list: Input[] = [];
  let saved: SavedInput | undefined;
  const close = (): void => saved?.[Symbol.dispose]();
  try {
    for (const given of paths) {
      if (given === '-') saved = await saveStandardInput(signal);
      const path = given === '-' ? saved!.path : given;
      const name = given === '-' ? 'standard input' : undefined;
      list.push({ given, path, table: await openTable(path, { ...settings, name }) });
    }
  } catch (error) {
    close();
    throw error;
  }
  return { list, tables: list.map(({ table }) => table), [Symbol.dispose]: close };
}

export interface Examination {
  databaseUrl: string;
  options: ImportOptions;
  log: (line: string) => void;
  signal?: AbortSignal | undefined;
}

/** Throws if customers would be lost, merged or doubled, unless the user accepts it. */
export async function examineInputs(
  { tables }: Inputs,
  { databaseUrl, options, log, signal }: Examination,
): Promise<void> {
  const { accept, currency, replace: replacing, quiet } = options;
  const progress = startProgress({ label: 'Examining', unit: 'rows', quiet });
  const onProgress = (read: number): void => progress.update(read);
  const found: string[] = [];
  try {
    const keep = (line: string): void => void found.push(line);
    await examine(tables, {
      ...{ databaseUrl, accept, currency, replacing, onProgress, signal },
      log: keep,
    });
  } finally {
    progress.stop();
    for (const line of found) log(line);
  }
}

/** For `--check`, which reports everything else too before it fails. */
export async function whyRefused(work: Promise<void>): Promise<ImportError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ImportError) return error;
    throw error;
  }
}
