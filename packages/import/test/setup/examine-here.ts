import { examine, ImportError, openTable, type Table, type TableOptions } from '@clientele/import';

export interface Examined {
  /** What was reported without stopping. */
  warnings: string[];
  /** Why the import stops. */
  refused: string | undefined;
  tables: Table[];
}

/** What `import` finds before it writes anything. */
export async function examineHere(
  databaseUrl: string,
  paths: readonly string[],
  options: Partial<TableOptions> = {},
): Promise<Examined> {
  const warnings: string[] = [];
  const tables: Table[] = [];
  const { accept, currency } = options;
  try {
    for (const path of paths) {
      const reading = { map: new Map(), stdin: process.stdin, deletes: false, ...options };
      tables.push(await openTable(path, reading));
    }
    await examine(tables, { databaseUrl, accept, currency, log: (line) => warnings.push(line) });
    return { warnings, refused: undefined, tables };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { warnings, refused: error.message, tables };
  }
}
