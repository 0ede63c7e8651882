/** A PostgreSQL that accepts TLS, with a certificate of its own. */
import { execFileSync } from 'node:child_process';
import { chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { preferPostgres, startPrivatePostgres, withClient } from '@clientele/sandbox';
import { inject } from 'vitest';

export async function startEncrypted(): Promise<{ url: string } & AsyncDisposable> {
  const postgres = await startPrivatePostgres({ postgres: await preferPostgres(inject('major')) });
  const { url, dataDir } = postgres;
  const key = join(dataDir, 'server.key');
  const certificate = join(dataDir, 'server.crt');
  const subject = ['-subj', '/CN=localhost', '-days', '2'];
  const files = ['-keyout', key, '-out', certificate];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...files], { stdio: 'ignore' });
  const { uid, gid } = statSync(dataDir);
  for (const file of [key, certificate]) chownSync(file, uid, gid);
  await withClient(url, async (client) => {
    await client.query('alter system set ssl = on');
    await client.query('select pg_reload_conf()');
  });
  return { url, [Symbol.asyncDispose]: () => postgres.stop() };
}
