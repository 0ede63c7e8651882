/** An empty database with the logins that docs/operations.md recommends, for one check. */
import { randomBytes } from 'node:crypto';
import { databaseUrl, findPostgres, startPrivatePostgres, withClient } from '@clientele/sandbox';

export interface EmptyDatabase extends AsyncDisposable {
  ownerUrl: string;
  serveUrl: string;
}

export async function startEmptyDatabase(): Promise<EmptyDatabase> {
  const postgres = (await findPostgres()).find(({ major }) => major >= 15 && major <= 18);
  if (!postgres) throw new Error('no PostgreSQL was found; run scripts/bootstrap');
  const cluster = await startPrivatePostgres({ postgres });
  const { url } = cluster;
  const passwords = {
    owner: randomBytes(12).toString('hex'),
    serve: randomBytes(12).toString('hex'),
  };
  try {
    await withClient(url, async (client) => {
      // Not in one query, because a database cannot be created in a transaction.
      for (const statement of statements(passwords)) await client.query(statement);
    });
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  const as = (name: 'owner' | 'serve'): string => {
    const login = new URL(databaseUrl(url, 'clientele'));
    login.username = `clientele_${name}`;
    login.password = passwords[name];
    return login.href;
  };
  return {
    ownerUrl: as('owner'),
    serveUrl: as('serve'),
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

const statements = ({ owner, serve }: { owner: string; serve: string }): string[] => [
  'create role clientele_reader nologin',
  'create role clientele_writer nologin',
  `create role clientele_owner login password '${owner}' in role clientele_reader, clientele_writer`,
  `create role clientele_serve login password '${serve}' in role clientele_reader`,
  `create database clientele owner clientele_owner template template0 encoding 'UTF8' locale 'C.UTF-8'`,
  'revoke connect, temporary on database clientele from public',
  'grant connect on database clientele to clientele_reader, clientele_writer',
];
