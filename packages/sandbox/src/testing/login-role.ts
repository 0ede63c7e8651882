/** A login role for a test, dropped after it. Roles belong to the whole cluster, so its name is random. */
import { randomBytes } from 'node:crypto';
import type { TestDatabase } from './test-database.ts';

export interface LoginRole extends AsyncDisposable {
  name: string;
  /** The database's URL for this role. */
  url: string;
}

/** `attributes` are those of `create role`: `in role clientele_reader`, `createrole`, … */
export async function createLoginRole(
  database: Pick<TestDatabase, 'url' | 'query'>,
  attributes = '',
): Promise<LoginRole> {
  const name = `clientele_test_user_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  await database.query(`create role ${name} login password '${password}' ${attributes}`);
  const url = new URL(database.url);
  url.username = name;
  url.password = password;
  return {
    name,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await database.query(`reassign owned by ${name} to current_user`);
      await database.query(`drop owned by ${name}`);
      await database.query(`drop role ${name}`);
    },
  };
}
