/** `schema.sql` shows the whole schema as the migrations leave it. `vitest --update` writes it again. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgres } from '@clientele/sandbox';
import { createTestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';

const run = promisify(execFile);
/** Another version of pg_dump writes other text. */
const installed = await findPostgres({ major: 15 });
const postgres = installed.find(({ source }) => source === 'system');

test.skipIf(!postgres || process.env['DATABASE_URL'])(
  'schema.sql is what the migrations create',
  async () => {
    await using database = await createTestDatabase();
    const months = await database.query<{ name: string }>(
      `select i.inhrelid::regclass::text as name from pg_inherits as i
     where i.inhparent = 'clientele.audit_batches'::regclass`,
    );
    // Their names are those of the current months.
    for (const { name } of months) await database.query(`drop table ${name}`);
    const { stdout } = await run(
      join(postgres!.binDir, 'pg_dump'),
      ['--schema-only', '--no-owner', database.url],
      { maxBuffer: 10_000_000 },
    );
    const schema = stdout
      .split('\n')
      .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\)/.test(line))
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim();
    await expect(`${schema}\n`).toMatchFileSnapshot('../schema.sql');
  },
);
