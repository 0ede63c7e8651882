/** `clientele import` on a database and a folder that the tests of one file share. */
import { writeFile } from 'node:fs/promises';
import { beforeEach, expect } from 'vitest';
import {
  customerId as id,
  setUpDatabaseAndFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { clientele } from './executable.ts';
import { resetDatabase, type Counts } from './import-runs.ts';

/** Registers the hooks, and empties the database before each test. */
export function setUpImports() {
  const { database, folder } = setUpDatabaseAndFolder();
  beforeEach(() => resetDatabase(database));

  const rejects = (): string => folder.path('rejects.csv');
  const run = (...args: string[]) =>
    clientele(['import', ...args, '--rejects', rejects()], { DATABASE_URL: database.url });

  async function save(name: string, content: string | Buffer): Promise<string> {
    const path = folder.path(name);
    await writeFile(path, content);
    return path;
  }

  /** Imports and returns the JSON summary. */
  async function counts(content: string, ...args: string[]): Promise<Counts> {
    const { stdout, stderr } = await run(await save('some.csv', content), '--json', ...args);
    expect(stdout, stderr).toMatch(/^\{.*\}\n$/);
    return JSON.parse(stdout) as Counts;
  }

  /** Names by the last digit of the UUID. */
  async function names(): Promise<Record<string, string>> {
    const rows = await database.query<{ n: string; full_name: string }>(
      `select right(uuid::text, 1) as n, full_name from customers order by uuid`,
    );
    return Object.fromEntries(rows.map(({ n, full_name }) => [n, full_name]));
  }

  return {
    rejects,
    run,
    save,
    counts,
    names,
    inFolder: (name: string): string => folder.path(name),
    database: (): TestDatabase => database,
  };
}

export const head = 'uuid,full_name,email_address';
export const row = (n: number, name: string, ...more: string[]): string =>
  [id(n), name, 'x@mail.example', ...more].join(',');
export const csv = (...lines: string[]): string => `${lines.join('\n')}\n`;
