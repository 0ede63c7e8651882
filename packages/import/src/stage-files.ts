/** Reads files for --replace into the staging table. */
import type { Suppressions } from '@clientele/directory';
import type pg from 'pg';
import { BatchBuilder } from './batch-builder.ts';
import { readIdNamespace } from './id-namespace.ts';
import { ImportError } from './import-error.ts';
import { inBatches } from './in-batches.ts';
import type { RejectFile } from './reject-file.ts';
import { takeSuppressed } from './suppressed-records.ts';
import { logNotes, logWarnings, type Table } from './table.ts';
import { stage } from './upsert.ts';

export interface Staged {
  read: number;
  rejected: number;
  suppressed: number;
  /** All others. */
  records: number;
  rejectPaths: string[];
}

export interface StagingOptions {
  batch: number;
  asOf: string | undefined;
  /** One for each table. */
  rejects: readonly RejectFile[];
  log: (line: string) => void;
  onProgress: (read: number) => void;
}

export async function stageAll(
  client: pg.Client,
  suppressions: Suppressions,
  tables: readonly Table[],
  { batch, asOf, rejects: rejectFiles, log, onProgress }: StagingOptions,
): Promise<Staged> {
  const staged: Staged = { read: 0, rejected: 0, suppressed: 0, records: 0, rejectPaths: [] };
  const builder = new BatchBuilder(batch, suppressions, true);
  const namespace = await readIdNamespace(client);
  for (const [i, table] of tables.entries()) {
    logNotes(table, log);
    const rejects = rejectFiles[i]!;
    rejects.useLayout(table.rejectLayout);
    let rejectBytes = 0;
    const records = table.read(table.start, {
      namespace,
      asOf: asOf === undefined ? undefined : () => asOf,
    });
    await inBatches(records, builder, async (taken) => {
      rejectBytes = rejects.write(rejectBytes, taken.rejects);
      const { batch: kept, suppressed } = await takeSuppressed(client, suppressions, taken);
      await stage(client, kept.rows);
      staged.read += taken.read;
      staged.rejected += taken.rejected;
      staged.suppressed += suppressed;
      staged.records += kept.ends.length;
      onProgress(staged.read);
    });
    if (rejectBytes > 0) staged.rejectPaths.push(rejects.path);
    else rejects.removeStale();
    rejects.close();
    logWarnings(table, log);
  }
  return staged;
}

export function checkStaged(staged: Staged, despiteRejects: boolean | undefined): void {
  if (staged.rejected > 0 && !despiteRejects) {
    const { rejectPaths } = staged;
    const listed = rejectPaths.length === 0 ? '' : ` listed in ${rejectPaths.join(', ')}`;
    throw new ImportError(
      `${staged.rejected} records were rejected, so their customers would be removed. Nothing was changed. ` +
        `Fix the records${listed}, or accept this with --despite-rejects.`,
    );
  }
  if (staged.records === 0) {
    throw new ImportError(
      'The files contain no records, so all customers would be removed. Nothing was changed.',
    );
  }
}
