/** Who may write to the audit: servers what callers read, every other login only what it does itself. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '@clientele/sandbox';
import { createLoginRole, createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { readAudit } from '@clientele/directory';
import { newChain, nextBatch, noHash } from '../src/audit/batch.ts';
import { queriesOf, recordAction } from '../src/audit/command-audit.ts';
import { toJson, type AuditedCaller } from '../src/audit/entry.ts';
import { storeBatch } from '../src/audit/store.ts';
import { verifyAudit } from '../src/audit/verify.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const entriesOf = (caller: AuditedCaller): Buffer =>
  Buffer.from(
    `[${toJson(
      {
        ...{ caller, address: '192.0.2.1', action: 'lookup', requestId: randomUUID(), search: '' },
        ...{ page: 1, perPage: 1, total: 1, customers: Buffer.alloc(16) },
      },
      new Date(),
      undefined,
    )}]`,
  );

async function asLogin<T>(role: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  await using login = await createLoginRole(database, `in role ${role}`);
  return await withClient(login.url, work);
}

const store = (client: pg.Client, entries: Buffer, customers = Buffer.alloc(16)) =>
  storeBatch(queriesOf(client), nextBatch(newChain(), { entries, customers }));

const listed = async (): Promise<string[]> => {
  const actions: string[] = [];
  const entries = readAudit(await database.connect(), {}, { newestFirst: true });
  for await (const { action } of entries) actions.push(action);
  return actions;
};

test('a login that imports cannot record in the name of somebody else', async () => {
  const innocent = { kind: 'person', id: randomUUID(), name: 'Innocent Colleague' } as const;
  const otherLogin = { kind: 'login', id: 'clientele_owner', name: 'root' } as const;
  await asLogin('clientele_writer', async (client) => {
    for (const caller of [innocent, otherLogin]) {
      await expect(store(client, entriesOf(caller))).rejects.toMatchObject({ code: '42501' });
    }
  });
  expect(await listed()).toEqual([]);
});

test('it records what it does itself, and a server what others read', async () => {
  await asLogin('clientele_writer', (client) => recordAction(client, 'export', [randomUUID()]));
  await asLogin('clientele_reader', (client) =>
    store(client, entriesOf({ kind: 'key', id: randomUUID(), name: 'a key' })),
  );
  expect(await listed()).toEqual(['lookup', 'export']);
});

test('it stores no batch that cannot be read, or whose hash does not follow from it', async () => {
  await asLogin('clientele_writer', async (client) => {
    const { rows } = await client.query<{ name: string }>('select session_user as name');
    const one = entriesOf({ kind: 'login', id: rows[0]!.name, name: '' });
    for (const entries of ['not json', '{}', '[1]', '[{"shown":1}]', '[{"at":"soon","shown":1}]']) {
      await expect(store(client, Buffer.from(entries)), entries).rejects.toMatchObject({
        code: '23000',
      });
    }
    await expect(store(client, one, Buffer.alloc(32)), 'another number').rejects.toMatchObject({
      code: '23000',
    });
    const batch = nextBatch(newChain(), { entries: one, customers: Buffer.alloc(16) });
    const wrong = { ...batch, hash: noHash };
    await expect(storeBatch(queriesOf(client), wrong)).rejects.toMatchObject({ code: '23000' });
    await storeBatch(queriesOf(client), batch);
  });
});

test('a server’s batch that cannot be read is listed as such, and hides no other', async () => {
  const before = await listed();
  await asLogin('clientele_reader', (client) => store(client, Buffer.from('not json')));
  expect(await listed()).toEqual(['unreadable', ...before]);
  const { problems } = await verifyAudit(await database.connect(), {});
  expect(problems.join('\n')).toContain('cannot be read');
});
