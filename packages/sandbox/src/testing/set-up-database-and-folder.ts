import { afterAll, beforeAll } from 'vitest';
import { temporaryFolder, type TemporaryFolder } from './temporary-folder.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

/** Registers the hooks. Both can be used from the next hook on, and are shared by all tests of the file. */
export function setUpDatabaseAndFolder(): { database: TestDatabase; folder: TemporaryFolder } {
  const database = {} as TestDatabase;
  const folder = {} as TemporaryFolder;
  beforeAll(async () => {
    Object.assign(database, await createTestDatabase());
    Object.assign(folder, await temporaryFolder());
  });
  afterAll(async () => {
    await folder[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });
  return { database, folder };
}
