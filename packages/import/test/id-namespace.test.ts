/** The identifiers that an import derives: the same for ever in one installation, and not known outside of it. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { migrate, readMigrations } from '@clientele/directory';
import { createTestDatabase, temporaryFolder, type TestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { importHere } from './setup/import-here.ts';

/** RFC 9562, version 5. */
function uuidOf(name: string, namespace: string): string {
  const bytes = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const hash = createHash('sha1').update(bytes).update(name).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

async function namespaceOf(database: TestDatabase): Promise<string> {
  const [row] = await database.query<{ namespace: string }>(
    'select namespace from clientele.id_namespace',
  );
  return row!.namespace;
}

const migrations = await readMigrations();

test('a new installation has a namespace of its own, in which imports derive identifiers', async () => {
  await using database = await createTestDatabase('template0');
  await migrate(await database.connect(), migrations);
  const namespace = await namespaceOf(database);
  await using other = await createTestDatabase('template0');
  await migrate(await other.connect(), migrations);
  expect(await namespaceOf(other)).not.toBe(namespace);

  await using folder = await temporaryFolder();
  const file = folder.path('customers.csv');
  for (const name of ['Anna', 'Berta']) {
    await writeFile(file, `Number,Name,Mail\n1001,${name},a@mail.example\n`);
    const options = { idColumn: 'shop:Number', batchSize: 10, rejects: folder.path('rejects.csv') };
    await importHere(database.url, file, options);
  }
  expect(await database.query('select uuid, full_name from customers')).toEqual([
    { uuid: uuidOf('shop:1001', namespace), full_name: 'Berta' },
  ]);
});
