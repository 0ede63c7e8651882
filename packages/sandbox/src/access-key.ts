import { scopes, type Scope } from '@clientele/contract';
import { insertKey, makeAccessKey } from '@clientele/directory';
import { withClient } from './connection.ts';

/** Creates an access key directly in the database, without the executable. */
export async function createAccessKey(
  databaseUrl: string,
  name: string,
  may: readonly Scope[] = scopes,
): Promise<string> {
  const made = makeAccessKey();
  await withClient(databaseUrl, (client) => insertKey(client, made, name, may));
  return made.key;
}
