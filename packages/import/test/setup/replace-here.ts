import { openTable, RejectFile, replaceWith, type Replaced } from '@clientele/import';
import type { ReplaceOptions } from '../../src/replace.ts';

type Options = Partial<ReplaceOptions> &
  Pick<ReplaceOptions, 'databaseUrl' | 'batch'> & { rejectPath?: string };

/** Replaces all customers in this process, however many of them are removed. */
export async function replaceHere(paths: string[], options: Options): Promise<Replaced> {
  const { rejectPath, ...others } = options;
  const reading = { map: new Map(), stdin: process.stdin, deletes: false };
  const tables = [];
  for (const path of paths) tables.push(await openTable(path, reading));
  return replaceWith(tables, {
    rejects: paths.map((path) => new RejectFile(rejectPath ?? `${path}.rejected`)),
    accept: new Set(['removals']),
    log: () => undefined,
    onProgress: () => undefined,
    confirm: async () => undefined,
    ...others,
  });
}
