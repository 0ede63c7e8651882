/** PgBouncer before a database. */
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { giveTo, unprivilegedAccount } from '../../private-postgres/unprivileged-account.ts';
import { until } from './cluster.ts';
import { startKeeper } from './keeper.ts';
import { find } from './tools.ts';

export interface Pooler extends AsyncDisposable {
  /** That of the database, through PgBouncer. */
  url: string;
  /** Has it read other settings, as an operator's RELOAD does. Its clients stay connected. */
  reload(settings: Record<string, string>): Promise<void>;
}

/** The program, if it is installed. */
export const findPgBouncer = (): Promise<string | undefined> => find('pgbouncer');

/** The settings are those of pgbouncer.ini. Everybody is let in, as the user of the URL. */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<Pooler> {
  const keeper = await startKeeper();
  const account = await unprivilegedAccount();
  const port = await freePort();
  const file = join(keeper.folder, 'pgbouncer.ini');
  const { hostname, port: databasePort, pathname, username, password } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const configure = async (given: Record<string, string>): Promise<void> => {
    const all = {
      listen_addr: '127.0.0.1',
      listen_port: String(port),
      unix_socket_dir: '',
      auth_type: 'any',
      default_pool_size: '80',
      ...given,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
    await writeFile(
      file,
      `[databases]\n${database} = host=${hostname} port=${databasePort} user=${username} ` +
        `password=${decodeURIComponent(password)}\n[pgbouncer]\n${lines.join('\n')}\n`,
      { mode: 0o600 },
    );
    if (account) await giveTo(account, file);
  };
  await configure(settings);
  const { pid, ended } = await keeper.start('pgbouncer', program, [file], account);
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  try {
    await Promise.race([
      until('PgBouncer listens', 30_000, () => accepts(port)),
      ended.then(() => {
        throw new Error('PgBouncer ended');
      }),
    ]);
  } catch (error) {
    await keeper[Symbol.asyncDispose]();
    throw error;
  }
  const log = (): Promise<string> => readFile(join(keeper.folder, 'pgbouncer.log'), 'utf8');
  return {
    url: url.href,
    async reload(changed) {
      await configure(changed);
      const before = (await log()).length;
      process.kill(pid, 'SIGHUP');
      await until('PgBouncer has read its file again', 30_000, async () =>
        (await log()).slice(before).includes('SIGHUP'),
      );
    },
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  };
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
