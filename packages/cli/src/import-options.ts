/** The options of `import`. */
import type { TableOptions } from '@clientele/import';
import { recordOptions, type ReadingOptions } from './reading-options.ts';

export interface ImportOptions extends ReadingOptions {
  delimiter?: string;
  columns?: string[];
  encoding?: string;
  asOf?: string;
  batch: number;
  dryRun?: boolean;
  check?: boolean;
  fromStart?: boolean;
  replace?: boolean;
  yes?: boolean;
  despiteRejects?: boolean;
}

export function tableOptions(options: ImportOptions): TableOptions {
  const { delimiter, columns, encoding } = options;
  const reading = { ...recordOptions(options), delimiter, columns, encoding };
  return { ...reading, stdin: process.stdin, deletes: false };
}
