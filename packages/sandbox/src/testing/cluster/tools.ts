/** The programs a cluster consists of, all from the distribution. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { findPostgres, type Postgres } from '../../private-postgres/find-postgres.ts';

export interface Tools {
  etcd: string;
  patroni: string;
  haproxy: string;
  postgres: Postgres;
}

/** The tools, or what is missing, as a sentence that names the remedy. */
export async function findTools(): Promise<Tools | string> {
  if (process.platform !== 'linux') return 'The cluster tests run on Linux only.';
  const [etcd, patroni, haproxy] = await Promise.all(['etcd', 'patroni', 'haproxy'].map(find));
  // The npm package has neither pg_basebackup nor pg_rewind, which Patroni runs.
  const postgres = (await findPostgres()).find(({ source }) => source === 'system');
  if (etcd && patroni && haproxy && postgres) return { etcd, patroni, haproxy, postgres };
  const missing = Object.entries({ etcd, patroni, haproxy, 'PostgreSQL 15': postgres })
    .filter(([, found]) => !found)
    .map(([name]) => name);
  return (
    `The cluster tests need ${missing.join(', ')}. Run scripts/bootstrap as root, or install ` +
    'etcd-server, patroni, haproxy and postgresql-15.'
  );
}

export async function find(name: string): Promise<string | undefined> {
  // Debian puts haproxy where only root's PATH looks.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const folder of folders) {
    const path = join(folder, name);
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return undefined;
}
