/** The files become the whole truth: staged in full, then switched in one transaction. */
import { createInterface } from 'node:readline/promises';
import { CommandError } from '../explain.ts';
import { startProgress } from '../progress.ts';
import { BatchBuilder } from './batches.ts';
import { connectAsWriter } from './customer-writer.ts';
import type { RejectFile } from './reject-file.ts';
import { openTable, type TableOptions } from './table.ts';
import { createStaging, stage, upsert, type Counts } from './upsert.ts';

export interface ReplaceOptions {
  asOf?: string | undefined;
  batch: number;
  yes?: boolean;
  despiteRejects?: boolean;
  quiet?: boolean;
  rejectFile: (path: string) => RejectFile;
  say: (line: string) => void;
}

export interface Replaced extends Counts {
  read: number;
  rejected: number;
  removed: number;
}

/** Who is not in the files. Somebody newer than them is none of their business. */
const missing = (asOf: string | undefined): string => `
  from public.customers as c
  where not exists (select from pg_temp.incoming as i where i.uuid = c.uuid)
    ${asOf === undefined ? '' : 'and not coalesce(c.updated_at > $1, false)'}`;

export async function replaceWith(
  paths: string[],
  settings: TableOptions,
  options: ReplaceOptions,
): Promise<Replaced> {
  const client = await connectAsWriter();
  try {
    // A whole file may be joined with a whole table.
    await client.query('set enable_hashjoin = on; set enable_mergejoin = on');
    await createStaging(client, true);
    const asOf = options.asOf === 'now' ? new Date().toISOString() : options.asOf;
    const { read, rejected, staged } = await stageAll(client, paths, settings, {
      ...options,
      asOf,
    });
    if (rejected > 0 && !options.despiteRejects) {
      throw new CommandError(
        `${rejected} records were rejected, and their customers would be removed. Nothing was changed. ` +
          'Mend the records, or add --despite-rejects.',
      );
    }
    if (staged === 0) {
      throw new CommandError(
        'There is no record in it, so everybody would be removed. Nothing was changed.',
      );
    }
    await client.query('create index on pg_temp.incoming (uuid); analyze pg_temp.incoming');
    const values = asOf === undefined ? [] : [asOf];
    const { rows } = await client.query<{ missing: number; all: number }>(
      `select count(*)::int as missing, (select count(*)::int from public.customers) as all ${missing(asOf)}`,
      values,
    );
    const { missing: leaving, all } = rows[0]!;
    await confirm(
      `${staged} records are to replace ${all} customers; ${leaving} of those are not among them and will be removed.`,
      options,
    );
    await client.query('begin');
    // Readers go on; other writers wait, so that nobody slips in between.
    await client.query('lock table public.customers in share row exclusive mode');
    const removed = (await client.query(`delete ${missing(asOf)}`, values)).rowCount ?? 0;
    const counts = await upsert(client, staged);
    await client.query('commit');
    return { read, ...counts, rejected, removed };
  } finally {
    await client.end();
  }
}

async function stageAll(
  client: Awaited<ReturnType<typeof connectAsWriter>>,
  paths: string[],
  settings: TableOptions,
  { batch, asOf, quiet, rejectFile, say }: ReplaceOptions,
): Promise<{ read: number; rejected: number; staged: number }> {
  let [read, rejected, staged] = [0, 0, 0];
  const builder = new BatchBuilder(batch, true);
  for (const path of paths) {
    const table = await openTable(path, settings);
    if (table.ignored.length > 0) say(`${table.name}: not used: ${table.ignored.join(', ')}`);
    const rejects = rejectFile(path);
    const progress = startProgress({
      label: 'staging',
      unit: 'rows',
      quiet: quiet === true,
      stream: process.stderr,
    });
    let rejectBytes = 0;
    const flush = async (): Promise<void> => {
      const taken = builder.take();
      rejectBytes = rejects.write(rejectBytes, taken.rejects);
      await stage(client, taken.rows);
      read += taken.read;
      rejected += taken.rejected;
      staged += taken.ends.length;
      progress.update(read);
    };
    for await (const some of table.read(table.start, asOf === undefined ? undefined : () => asOf)) {
      for (const made of some) {
        builder.add(made);
        if (builder.full) await flush();
      }
    }
    await flush();
    progress.stop();
    rejects.close();
  }
  return { read, rejected, staged };
}

async function confirm(
  question: string,
  { yes, say }: { yes?: boolean; say: (line: string) => void },
): Promise<void> {
  say(question);
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new CommandError('Nobody is here to confirm that: add --yes. Nothing was changed.');
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question('Go on? Type yes: ');
  prompt.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('Nothing was changed.');
}
