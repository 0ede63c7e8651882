/**
 * Random histories of exports from several systems, some of them damaged: every merge and every duplicate was announced
 * before it was written. `IDENTITY_HISTORIES=5000` tries more of them.
 */
import { writeFile } from 'node:fs/promises';
import { examine, ImportError, openTable } from '@clientele/import';
import {
  createTestDatabase,
  temporaryFolder,
  type TemporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateExports, type Export } from './setup/identity-exports.ts';
import { importHere } from './setup/import-here.ts';

const histories = Number(process.env['IDENTITY_HISTORIES'] ?? 10);

let database: TestDatabase;
let folder: TemporaryFolder;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const everything = new Set([
  'unscoped-ids',
  'repeated-ids',
  'other-people',
  'similar-ids',
  'known-people',
  'known-addresses',
  'undecodable',
] as const);

/** Examines a file. Returns what was announced, as a warning or as the reason to stop. */
async function announce(path: string, idColumn: string): Promise<string> {
  const announced: string[] = [];
  const reading = { map: new Map(), stdin: process.stdin, deletes: false, idColumn };
  const accept = new Set(['unscoped-ids'] as const);
  try {
    const table = await openTable(path, { ...reading, accept });
    await examine([table], { databaseUrl: database.url, log: (line) => announced.push(line) });
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    announced.push(error.message);
  }
  return announced.join('\n');
}

/** The model keeps who somebody really is in the field company_name, which identity never depends on. */
const present = () =>
  database.query<{ uuid: string; person: string }>(
    'select uuid, company_name as person from customers',
  );

class Truth {
  readonly #everIn = new Map<string, Set<string>>();
  #doubled = 0;

  /** Who has been merged or doubled since the last call. */
  async changes(written: Export): Promise<{ merged: number; doubled: number }> {
    const rows = await present();
    const uuids = new Map<string, number>();
    let merged = 0;
    for (const { uuid, person } of rows) {
      const before = this.#everIn.get(uuid) ?? new Set();
      if (before.size > 0 && !before.has(person)) merged += 1;
      this.#everIn.set(uuid, new Set([person]));
      uuids.set(person, (uuids.get(person) ?? 0) + 1);
    }
    // Two people of one file in one customer: somebody of the file is not there.
    const there = new Set(rows.map(({ person }) => person));
    merged += new Set(written.people.filter((person) => !there.has(person))).size;
    const doubled = [...uuids.values()].reduce((sum, count) => sum + count - 1, 0);
    const more = doubled - this.#doubled;
    this.#doubled = doubled;
    return { merged, doubled: more };
  }
}

test(`${histories} histories: every merge or duplicate was announced`, async () => {
  let [merges, duplicates] = [0, 0];
  for (let seed = 1; seed <= histories; seed += 1) {
    await database.query('truncate customers, clientele.imports');
    const truth = new Truth();
    for (const [step, written] of generateExports(seed).entries()) {
      const path = folder.path(`export.${written.format}`);
      await writeFile(path, written.content);
      const announced = await announce(path, written.idColumn);
      await importHere(database.url, path, {
        idColumn: written.idColumn,
        accept: everything,
        batchSize: 4,
        rejects: folder.path('rejected'),
      });
      const { merged, doubled } = await truth.changes(written);
      const what = `seed ${seed}, step ${step}: ${merged} merged, ${doubled} doubled\n${written.content}`;
      if (merged > 0) expect(announced, what).toMatch(/different people|somebody else/);
      if (doubled > 0)
        expect(announced, what).toMatch(
          /under other identifiers|under another identifier|address of|leading zeros|several identifiers/,
        );
      merges += merged;
      duplicates += Math.max(0, doubled);
    }
  }
  // Otherwise the histories show nothing.
  expect(merges).toBeGreaterThan(histories / 10);
  expect(duplicates).toBeGreaterThan(histories / 10);
}, 3_600_000);
