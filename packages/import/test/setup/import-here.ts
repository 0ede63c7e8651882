import {
  importFile,
  openTable,
  RejectFile,
  type Imported,
  type TableOptions,
} from '@clientele/import';
import type { ImportFileOptions } from '../../src/import-file.ts';

type Options = Partial<Omit<TableOptions, 'asOf'>> &
  Partial<Omit<ImportFileOptions, 'rejects'>> & { batchSize: number; rejects: string };

/** Imports in this process: starting the executable for every small file would take too long. */
export async function importHere(
  databaseUrl: string,
  path: string,
  options: Options,
): Promise<Imported> {
  const { asOf, ...reading } = options;
  const table = await openTable(path, {
    map: new Map(),
    stdin: process.stdin,
    deletes: false,
    ...reading,
  });
  return importFile(table, {
    asOf,
    fingerprint: undefined,
    log: () => undefined,
    onProgress: () => undefined,
    ...reading,
    databaseUrl,
    rejects: new RejectFile(options.rejects),
  });
}
