/** The list of rejected records of a feed that is read in several runs. */
import { existsSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { beforeEach, expect, test } from 'vitest';
import { readReasons } from './setup/reasons.ts';
import { syncHere } from './setup/sync-here.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeEach(() => database.query('truncate customers, clientele.imports'));

const record = (n: number, email = `n${n}@mail.example`): string =>
  `${JSON.stringify({ uuid: id(n), full_name: `N${n}`, email_address: email })}\n`;
const bad = (n: number): string => record(n, `n${n} at mail.example`);

/** What the run logs. */
async function sync(feed: string, rejects: string): Promise<string[]> {
  const logged: string[] = [];
  const log = (line: string): void => void logged.push(line);
  await syncHere(database.url, feed, { rejects: folder.path(rejects), log });
  return logged;
}

const linesIn = async (name: string): Promise<number[]> =>
  readReasons(await readFile(folder.path(name))).map(([line]) => line);

test('the next run appends to the list of the one before', async () => {
  const feed = folder.path('appended.ndjson');
  await writeFile(feed, `${bad(1)}${record(2)}`);
  await sync(feed, 'appended.rejected');
  await appendFile(feed, `${record(3)}${bad(4)}`);
  expect(await sync(feed, 'appended.rejected')).not.toContainEqual(expect.stringMatching('begun'));
  expect(await linesIn('appended.rejected')).toEqual([1, 4]);
});

test.each([
  ['of another feed', (): string => `{"clientele_reject":"line 7: x",${bad(7).slice(1)}`.repeat(3)],
  ['of somebody', (): string => `My notes\n${'x'.repeat(60)}\n`.repeat(9)],
  ['that is missing', undefined],
])('a file %s is not continued, and the run says so', async (name, content) => {
  const feed = folder.path(`${name}.ndjson`);
  await rm(folder.path('other.rejected'), { force: true });
  await writeFile(feed, `${record(1)}${bad(2)}${bad(3)}`);
  await sync(feed, 'begun.rejected');
  if (content) await writeFile(folder.path('other.rejected'), content());
  await appendFile(feed, record(4));
  expect(await sync(feed, 'other.rejected')).toContainEqual(
    expect.stringMatching(/other\.rejected is not the list that was begun/),
  );
  if (content) {
    expect(await readFile(folder.path('other.rejected'), 'utf8')).toBe(content());
  }
  await appendFile(feed, bad(5));
  await sync(feed, 'other.rejected');
  await appendFile(feed, bad(6));
  expect(await sync(feed, 'other.rejected')).not.toContainEqual(expect.stringMatching('begun'));
  expect(await linesIn('other.rejected')).toEqual([5, 6]);
});

test('the list of another feed is not continued, even if a line of it ends at the same byte', async () => {
  for (const [name, n] of [
    ['this', 1],
    ['that', 3],
  ] as const) {
    const feed = folder.path(`${name}.ndjson`);
    await writeFile(feed, `${record(n)}${bad(n + 1)}`);
    await sync(feed, `${name}.rejected`);
  }
  const lists = ['this.rejected', 'that.rejected'] as const;
  const [mine, others] = await Promise.all(lists.map((list) => readFile(folder.path(list))));
  expect(mine).toHaveLength(others!.length);
  await appendFile(folder.path('this.ndjson'), bad(5));
  expect(await sync(folder.path('this.ndjson'), 'that.rejected')).toContainEqual(
    expect.stringMatching(/that\.rejected is not the list that was begun/),
  );
  expect(await linesIn('that.rejected')).toEqual([3]);
});

test('a run without rejects removes the list of an earlier feed', async () => {
  await writeFile(folder.path('bad.ndjson'), bad(1));
  await sync(folder.path('bad.ndjson'), 'stale.rejected');
  expect(existsSync(folder.path('stale.rejected'))).toBe(true);
  await writeFile(folder.path('good.ndjson'), record(1));
  await sync(folder.path('good.ndjson'), 'stale.rejected');
  expect(existsSync(folder.path('stale.rejected'))).toBe(false);
});

test('a feed from a pipe, which cannot be resumed, leaves no unfinished run', async () => {
  const unfinished = () =>
    database.query('select from clientele.imports as i where i.finished_at is null');
  await syncHere(database.url, '-', {
    rejects: folder.path('piped.rejected'),
    stdin: Readable.from([Buffer.from(record(1)), Buffer.from(bad(2))]),
  });
  expect(await database.query('select from customers')).toHaveLength(1);
  expect(await unfinished()).toEqual([]);
  await writeFile(folder.path('growing.ndjson'), record(2));
  await sync(folder.path('growing.ndjson'), 'growing.rejected');
  expect(await unfinished()).toHaveLength(1);
});
