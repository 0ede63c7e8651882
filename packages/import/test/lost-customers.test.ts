/** Ways in which imports and feeds once lost or merged customers without an error. */
import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReplaceOptions } from '../src/replace.ts';
import { importHere } from './setup/import-here.ts';
import { replaceHere } from './setup/replace-here.ts';
import { syncHere, type SyncHereOptions } from './setup/sync-here.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeEach(async () => {
  await database.query('truncate customers, clientele.imports, clientele.gone_customers');
  await rm(folder.path('rejects.csv'), { force: true });
});

const customer = (n: number, name: string, more: object = {}): object => ({
  uuid: id(n),
  full_name: name,
  email_address: 'x@mail.example',
  ...more,
});
const remove = (n: number, more: object = {}): object => ({ op: 'delete', uuid: id(n), ...more });
const lines = (...records: object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

const rejects = (): string => folder.path('rejects.csv');
let feeds = 0;
/** A new file for every call: a feed that was read before would be resumed. */
async function sync(content: string, options: Partial<SyncHereOptions> = {}) {
  feeds += 1;
  const path = folder.path(`feed-${feeds}.ndjson`);
  await writeFile(path, content);
  return syncHere(database.url, path, { rejects: rejects(), ...options });
}

async function importNdjson(content: string, options: object = {}) {
  const path = folder.path('some.ndjson');
  await writeFile(path, content);
  return importHere(database.url, path, { batchSize: 1_000, rejects: rejects(), ...options });
}

async function replace(contents: string[], options: Partial<ReplaceOptions> = {}) {
  const paths = contents.map((_, i) => folder.path(`replace-${i}.ndjson`));
  for (const [i, content] of contents.entries()) await writeFile(paths[i]!, content);
  const given = { databaseUrl: database.url, batch: 1_000, rejectPath: rejects(), ...options };
  return replaceHere(paths, given);
}

const customers = () =>
  database.query<{ full_name: string; phone_number: string | null; company_name: string | null }>(
    'select full_name, phone_number, company_name from customers order by uuid',
  );
const names = async (): Promise<string[]> => (await customers()).map(({ full_name }) => full_name);
const noRejects = () => expect(readFile(rejects(), 'utf8')).rejects.toThrow('ENOENT');

describe('a delete and an insert of the same customer', () => {
  const old = (n: number): object =>
    customer(n, 'Old', { phone_number: '030 5550100', company_name: 'Old & Co' });

  test('500 deletes, each followed by an insert, without times: nobody is missing', async () => {
    const some = Array.from({ length: 500 }, (_, i) => i);
    await importNdjson(lines(...some.map(old)));
    const tally = await sync(
      lines(
        ...some.flatMap((n) => [remove(n), customer(n, 'New', { phone_number: '030 5550199' })]),
      ),
    );
    expect(await names()).toEqual(some.map(() => 'New'));
    expect(tally).toMatchObject({ deleted: 500, inserted: 500, superseded: 0 });
  });

  test('with the same time, the later one counts, in one batch and in two', async () => {
    const at = { updated_at: '2026-05-01T00:00:00Z' };
    for (const batchSize of [1, 1_000]) {
      await importNdjson(lines(old(1)));
      await sync(lines(remove(1, at), customer(1, 'New', at)), { batchSize });
      await sync(lines(customer(2, 'B', at), remove(2, at)), { batchSize });
      expect(await customers(), `batches of ${batchSize}`).toEqual([
        { full_name: 'New', phone_number: null, company_name: null },
      ]);
      await database.query('truncate customers, clientele.gone_customers');
    }
  });

  test('the new customer does not inherit fields of the deleted one', async () => {
    await importNdjson(lines(old(1)));
    await sync(lines(remove(1), customer(1, 'New')));
    expect(await customers()).toEqual([
      { full_name: 'New', phone_number: null, company_name: null },
    ]);
  });

  test('an erasure is final, also within a batch', async () => {
    await importNdjson(lines(old(1)));
    await sync(lines({ op: 'erase', uuid: id(1) }, customer(1, 'Back')));
    await sync(lines(customer(1, 'Back')));
    await sync(lines(remove(1), customer(1, 'Back')));
    expect(await names()).toEqual([]);
  });

  test('a file or a repeated feed does not bring a customer back with a record as old as the delete', async () => {
    const at = { updated_at: '2026-05-01T00:00:00Z' };
    const feed = lines(customer(1, 'A', at), remove(1, at));
    await sync(feed);
    await importNdjson(lines(customer(1, 'A', at)));
    expect(await names(), 'after importing the record again').toEqual([]);
    await sync(feed);
    expect(await names(), 'after repeating the feed').toEqual([]);
  });
});

test('a customer that is erased while an import is about to insert it stays erased', async () => {
  const operator = await database.connect();
  await operator.query('begin');
  await operator.query('select clientele.erase_customer($1)', [id(1)]);
  const importing = importNdjson(lines(customer(1, 'A'), customer(2, 'B')));
  await vi.waitFor(
    async () =>
      expect(
        await database.query(
          `select from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        ),
        'imports that wait for the erasure',
      ).toHaveLength(1),
    { timeout: 300_000, interval: 10 },
  );
  await operator.query('commit');
  expect(await importing).toMatchObject({ inserted: 1, suppressed: 1 });
  expect(await names()).toEqual(['B']);
});

test('JSON numbers above 2^53 identify different customers', async () => {
  const record = (number: string): string =>
    `{"id":${number},"full_name":"N","email_address":"x@mail.example"}\n`;
  await importNdjson(record('1234567890123456781') + record('1234567890123456782'), {
    idColumn: 'shop:id',
  });
  expect(await names()).toHaveLength(2);
  await sync(record('1234567890123456783'), { idColumn: 'shop:id' });
  expect(await names()).toHaveLength(3);
  // The same identifier as text is the same customer.
  await importNdjson(record('"1234567890123456781"'), { idColumn: 'shop:id' });
  expect(await names()).toHaveLength(3);
});

describe('a checkpoint', () => {
  const many = lines(...Array.from({ length: 200 }, (_, n) => customer(n, `N${n}`)));
  const file = { batchSize: 10, fingerprint: 'the same file' };
  const interrupt = {
    onProgress: ({ read }: { read: number }): void => {
      if (read >= 50) throw new Error('interrupted');
    },
  };

  test('is dropped when the table is emptied', async () => {
    await expect(importNdjson(many, { ...file, ...interrupt })).rejects.toThrow('interrupted');
    await database.query('truncate customers');
    const { resumedAfter, inserted } = await importNdjson(many, file);
    expect({ resumedAfter, inserted }).toEqual({ resumedAfter: 0, inserted: 200 });
    expect(await names()).toHaveLength(200);
  });

  test('is ignored with fromStart, for example after customers were deleted by SQL', async () => {
    await expect(importNdjson(many, { ...file, ...interrupt })).rejects.toThrow('interrupted');
    await database.query('delete from customers');
    const { resumedAfter } = await importNdjson(many, { ...file, fromStart: true });
    expect(resumedAfter).toBe(0);
    expect(await names()).toHaveLength(200);
  });

  test('of a running import is not continued after the table was emptied', async () => {
    let emptied: Promise<unknown> | undefined;
    const importing = importNdjson(many, {
      ...file,
      onProgress: ({ read }: { read: number }) => {
        if (read >= 50) emptied ??= database.query('truncate customers');
      },
    });
    await expect(importing).rejects.toThrow(/emptied while/);
    await importNdjson(many, file);
    expect(await names()).toHaveLength(200);
  });
});

describe('a feed in a file', () => {
  const path = (): string => folder.path('growing.ndjson');
  const run = (options: Partial<SyncHereOptions> = {}) =>
    syncHere(database.url, path(), { rejects: rejects(), ...options });

  test('that was rewritten in place is read again, even with the same first line and size', async () => {
    await writeFile(path(), lines(customer(1, 'A'), customer(2, 'B')));
    await run();
    await writeFile(path(), lines(customer(1, 'A'), customer(3, 'C')));
    await run();
    expect(await names()).toEqual(['A', 'B', 'C']);
    await truncate(path(), 0);
    await appendFile(path(), lines(customer(4, 'D')));
    await run();
    expect(await names()).toEqual(['A', 'B', 'C', 'D']);
  });

  test('is read again with other options', async () => {
    const record = { uuid: id(1), wer: 'A', email_address: 'x@mail.example' };
    await writeFile(path(), lines(record));
    expect(await run()).toMatchObject({ rejected: 1 });
    expect(await run({ map: new Map([['wer', 'full_name']]) })).toMatchObject({ inserted: 1 });
    expect(await names()).toEqual(['A']);
  });

  test('is resumed if it has only grown, and read again with fromStart', async () => {
    await writeFile(path(), lines(customer(1, 'A')));
    expect(await run()).toMatchObject({ read: 1 });
    await appendFile(path(), lines(customer(2, 'B')));
    expect(await run()).toMatchObject({ read: 2, inserted: 2 });
    expect(await run({ fromStart: true })).toMatchObject({ read: 2, inserted: 0, unchanged: 2 });
  });

  test('keeps a half-written last line for the next run', async () => {
    const whole = lines(customer(1, 'A'), customer(2, 'B'));
    await writeFile(path(), whole.slice(0, -40));
    expect(await run()).toMatchObject({ read: 1, rejected: 0 });
    await writeFile(path(), whole);
    expect(await run()).toMatchObject({ read: 2, rejected: 0 });
    expect(await names()).toEqual(['A', 'B']);
    await noRejects();
  });

  test('may end without a line break, and start with a byte order mark', async () => {
    await writeFile(path(), `\uFEFF${lines(customer(1, 'A'), customer(2, 'B')).trimEnd()}`);
    expect(await run()).toMatchObject({ read: 2, inserted: 2, rejected: 0 });
    await appendFile(path(), `\n${lines(customer(3, 'C'))}`);
    expect(await run()).toMatchObject({ read: 3, inserted: 3 });
  });
});

describe('--replace', () => {
  test('merges the records of a customer as an import does', async () => {
    await replace([
      lines(customer(1, 'A', { phone_number: '030 5550100' })),
      lines(customer(1, 'A', { company_name: 'A & Co' })),
    ]);
    expect(await customers()).toEqual([
      { full_name: 'A', phone_number: '030 5550100', company_name: 'A & Co' },
    ]);
  });

  test('is the whole truth: customers written or deleted by a feed are as in the files', async () => {
    await importNdjson(lines(customer(1, 'A'), customer(2, 'B'), customer(3, 'C')));
    await sync(lines(customer(1, 'A by feed'), remove(2), customer(4, 'D by feed')));
    const counts = await replace([lines(customer(1, 'A'), customer(2, 'B'), customer(3, 'C'))]);
    expect(await names()).toEqual(['A', 'B', 'C']);
    expect(counts).toMatchObject({ updated: 1, inserted: 1, unchanged: 1, removed: 1 });
  });

  test('with a time, keeps what a feed changed later', async () => {
    const at = (updated_at: string): object => ({ updated_at });
    await sync(
      lines(
        customer(1, 'A later', at('2026-05-02')),
        customer(2, 'B earlier', at('2026-04-30')),
        remove(3, at('2026-05-02')),
        remove(4, at('2026-04-30')),
        customer(5, 'E later', at('2026-05-02')),
      ),
    );
    const files = [1, 2, 3, 4].map((n) => customer(n, 'by file'));
    await replace([lines(...files)], { asOf: '2026-05-01T00:00:00Z' });
    expect(await names()).toEqual(['A later', 'by file', 'by file', 'E later']);
  });

  test('does not bring back an erased customer', async () => {
    await sync(lines({ op: 'erase', uuid: id(1) }));
    const counts = await replace([lines(customer(1, 'A'), customer(2, 'B'))]);
    expect(counts).toMatchObject({ inserted: 1, suppressed: 1 });
    expect(await names()).toEqual(['B']);
  });

  test('stopped by a reject says where the reject is listed', async () => {
    await expect(replace([lines({ uuid: 'x' }, customer(2, 'B'))])).rejects.toThrow(rejects());
  });
});

describe('a time far in the future', () => {
  test('is rejected, because no later record could ever change the customer', async () => {
    const tally = await sync(
      lines(
        customer(1, 'A', { updated_at: '2999-01-01' }),
        remove(1, { updated_at: '2999-01-01' }),
        customer(2, 'B'),
      ),
    );
    expect(tally).toMatchObject({ read: 3, inserted: 1, rejected: 2 });
    expect(await readFile(rejects(), 'utf8')).toMatch(/line 1: .*updated_at.* \(date-future\)/);
  });

  test('is rejected as PostgreSQL writes it, and later records are applied', async () => {
    const tally = await sync(
      lines(
        customer(1, 'A', { updated_at: '2099-01-01 00:00:00+00' }),
        customer(1, 'B', { updated_at: '2026-01-02 00:00:00+00' }),
        remove(1, { updated_at: '2026-01-03 00:00:00+00' }),
      ),
    );
    expect(tally).toMatchObject({ rejected: 1, inserted: 1, deleted: 1, superseded: 0 });
  });

  test('is reported if it is only hours ahead', async () => {
    const soon = new Date(Date.now() + 12 * 3_600_000).toISOString();
    const logged: string[] = [];
    await importNdjson(lines(customer(1, 'A', { updated_at: soon })), {
      log: (line: string) => logged.push(line),
    });
    expect(logged).toEqual([
      expect.stringMatching(
        /warning: 1 time in "updated_at" is in the future, so until then older records of the customer are not applied \(on line 1\)/,
      ),
    ]);
  });

  test('may differ by a clock that is wrong by hours', async () => {
    const soon = new Date(Date.now() + 12 * 3_600_000).toISOString();
    expect(await sync(lines(customer(1, 'A', { updated_at: soon })))).toMatchObject({
      inserted: 1,
    });
  });
});

test('a record that is not applied is counted by the reason', async () => {
  const at = (updated_at: string): object => ({ updated_at });
  await sync(
    lines(customer(1, 'A', at('2026-05-02')), remove(2, at('2026-05-02')), {
      op: 'erase',
      uuid: id(3),
    }),
  );
  const { read, superseded, supersededBy, suppressed } = await importNdjson(
    lines(
      customer(1, 'older', at('2026-05-01')),
      customer(2, 'deleted', at('2026-05-01')),
      customer(3, 'erased', at('2026-05-03')),
      customer(4, 'repeated', at('2026-05-01')),
      customer(4, 'D', at('2026-05-02')),
      customer(5, 'E', at('2026-05-02')),
    ),
  );
  expect({ read, superseded, suppressed }).toEqual({ read: 6, superseded: 3, suppressed: 1 });
  expect(supersededBy).toEqual({ repeated: 1, older: 1, undated: 0, deleted: 1 });
  const undated = await importNdjson(lines(customer(1, 'undated'), customer(2, 'deleted')));
  expect(undated.supersededBy).toEqual({
    repeated: 0,
    older: 0,
    undated: 1,
    deleted: 1,
  });
});
