import {
  importFile,
  openTable,
  RejectFile,
  type Imported,
  type TableOptions,
} from '@clientele/import';

/** Imports in this process: starting the executable for every small file would take too long. */
export async function importHere(
  databaseUrl: string,
  path: string,
  options: Partial<TableOptions> & { batchSize: number; rejects: string },
): Promise<Imported> {
  const table = await openTable(path, {
    map: new Map(),
    stdin: process.stdin,
    deletes: false,
    ...options,
  });
  return importFile(table, {
    databaseUrl,
    batchSize: options.batchSize,
    asOf: undefined,
    fingerprint: undefined,
    rejects: new RejectFile(options.rejects, false),
    log: () => undefined,
    onProgress: () => undefined,
  });
}
