import { scopes } from '@clientele/contract';
import { insertKey, makeAccessKey } from '@clientele/directory';
import { withClient } from './connection.ts';

/** Creates an access key that may do everything, directly in the database, without the executable. */
export async function createAccessKey(databaseUrl: string, name: string): Promise<string> {
  const made = makeAccessKey();
  await withClient(databaseUrl, (client) => insertKey(client, made, name, scopes));
  return made.key;
}
