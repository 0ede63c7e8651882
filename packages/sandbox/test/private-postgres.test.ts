import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, readdir, rm, watch } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  findPostgres,
  startPrivatePostgres,
  withClient,
  type PrivatePostgres,
} from '@clientele/sandbox';
import type { PrivatePostgresOptions } from '../src/private-postgres/private-postgres.ts';

// Each test starts its own clusters, which takes a second or two each on an idle machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const installations = await findPostgres();

test('finds PostgreSQL on this machine', () => {
  expect(installations, 'run scripts/bootstrap').not.toHaveLength(0);
});

test('finds only the requested major version', async () => {
  for (const { major } of installations) {
    const found = await findPostgres({ major });
    expect(found).toEqual(installations.filter((postgres) => postgres.major === major));
  }
  expect(await findPostgres({ major: 1 })).toEqual([]);
});

describe.each(installations)('PostgreSQL $version ($source)', (postgres) => {
  describe('a temporary cluster', () => {
    let cluster: PrivatePostgres;
    beforeAll(async () => {
      cluster = await startPrivatePostgres({ postgres });
    });
    afterAll(() => cluster.stop());

    test('has the requested version, UTF-8 and a password, and listens on loopback only', async () => {
      const [row] = await query(
        cluster.url,
        `select current_setting('server_version_num')::int / 10000 as major,
                current_setting('server_encoding') as encoding,
                current_setting('listen_addresses') as addresses,
                current_setting('unix_socket_directories') as sockets`,
      );
      expect(row).toEqual({
        major: postgres.major,
        encoding: 'UTF8',
        addresses: '127.0.0.1',
        sockets: '',
      });
      const wrong = new URL(cluster.url);
      wrong.password = 'wrong';
      await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    });

    test('has a locale in which pg_trgm recognizes letters beyond ASCII', async () => {
      await query(cluster.url, 'create extension pg_trgm');
      const [row] = await query(
        cluster.url,
        `select show_trgm('é') as accented, show_trgm('Жук') as cyrillic`,
      );
      expect(row?.['accented']).not.toEqual([]);
      expect(row?.['cyrillic']).not.toEqual([]);
    });

    test('logs neither bind values nor the detail of a constraint violation', async () => {
      const canary = 'canary@customer.example';
      const verbose = new URL(cluster.url);
      verbose.searchParams.set('options', '-c log_statement=all');
      await query(verbose.href, 'create table address (email text primary key)');
      const insert = 'insert into address select $1::text from generate_series(1, 2)';
      await expect(query(verbose.href, insert, [canary])).rejects.toMatchObject({
        code: '23505',
        detail: expect.stringContaining(canary),
      });
      const log = await readFile(cluster.logFile, 'utf8');
      expect(log).toContain(insert);
      expect(log).toContain('duplicate key value violates unique constraint');
      expect(log).not.toContain(canary);
    });
  });

  test('stop ends the process and removes the folder, and can be called twice', async () => {
    const cluster = await startPrivatePostgres({ postgres });
    expect(isAlive(cluster.pid)).toBe(true);
    await Promise.all([cluster.stop(), cluster.stop()]);
    expect(isAlive(cluster.pid)).toBe(false);
    expect(existsSync(dirname(cluster.dataDir))).toBe(false);
  });

  test('stop cleans up after a server that crashed', async () => {
    const cluster = await startPrivatePostgres({ postgres });
    process.kill(cluster.pid, 'SIGKILL');
    await cluster.stop();
    expect(existsSync(dirname(cluster.dataDir))).toBe(false);
  });

  test('the server stops and its folder is removed when the parent process is killed', async () => {
    const root = await temporaryFolder(0o1777);
    const module = import.meta.resolve('@clientele/sandbox');
    const parent = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { startPrivatePostgres } from ${JSON.stringify(module)};
         const cluster = await startPrivatePostgres({ postgres: ${JSON.stringify(postgres)} });
         console.log(cluster.pid);
         setInterval(() => {}, 60_000);`,
      ],
      { env: { ...process.env, TMPDIR: root }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(String(line));
    expect(isAlive(pid)).toBe(true);
    expect(await readdir(root), 'the cluster is in another folder').toHaveLength(1);

    const changes = watch(root);
    parent.kill('SIGKILL');
    for await (const _ of changes) if ((await readdir(root)).length === 0) break;
    expect(isAlive(pid)).toBe(false);
  });

  test('a kept cluster is durable and keeps its rows and password between runs', async () => {
    const dataDir = join(await temporaryFolder(0o755), 'data');
    const first = await startPrivatePostgres({ postgres, dataDir });
    const [durability] = await query(first.url, `select current_setting('fsync') as fsync`);
    expect(durability).toEqual({ fsync: 'on' });
    await query(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    expect(existsSync(first.dataDir)).toBe(true);
    expect(isAlive(first.pid)).toBe(false);

    const second = await start({ postgres, dataDir });
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await expect(startPrivatePostgres({ postgres, dataDir })).rejects.toThrow(/running/);
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a copy of a kept cluster has its rows, can be changed without changing them, and is removed', async () => {
    const dataDir = join(await temporaryFolder(0o755), 'data');
    const kept = await startPrivatePostgres({ postgres, dataDir });
    await query(kept.url, 'create table kept as select 42 as answer');
    await kept.stop();

    const copy = await startPrivatePostgres({ postgres, copyOf: dataDir });
    await query(copy.url, 'update kept set answer = answer + 1');
    expect(await query(copy.url, 'select answer from kept')).toEqual([{ answer: 43 }]);
    await copy.stop();
    expect(existsSync(copy.dataDir)).toBe(false);

    const again = await start({ postgres, dataDir });
    expect(await query(again.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  test('the caller can choose settings and locale', async () => {
    const cluster = await start({
      postgres,
      locale: 'C',
      settings: { application_name: "it's a \\ test", max_connections: 17, fsync: true },
    });
    const [row] = await query(
      cluster.url,
      `select datctype as locale, current_setting('application_name') as name,
              current_setting('max_connections') as connections, current_setting('fsync') as fsync
       from pg_database where datname = 'postgres'`,
    );
    expect(row).toEqual({
      locale: 'C',
      name: "it's a \\ test",
      connections: '17',
      fsync: 'on',
    });
  });

  test('the error for a port in use names the port', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void holder.close());
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    await expect(startPrivatePostgres({ postgres, port })).rejects.toThrow(
      new RegExp(`port ${port}: .*could not bind`, 's'),
    );
  });
});

test.runIf(installations.some(({ source }) => source === 'npm'))(
  'the npm binaries start from a folder that no other account can enter',
  async () => {
    const npm = installations.find(({ source }) => source === 'npm')!;
    const closed = await temporaryFolder(0o700);
    await cp(dirname(npm.binDir), join(closed, 'native'), { recursive: true });
    const cluster = await start({ postgres: { ...npm, binDir: join(closed, 'native', 'bin') } });
    expect(await query(cluster.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  },
);

test('a folder with other files is rejected and not changed', async () => {
  const [postgres] = installations;
  const dataDir = await temporaryFolder(0o755);
  await cp(import.meta.filename, join(dataDir, 'mine.txt'));
  await expect(startPrivatePostgres({ postgres: postgres!, dataDir })).rejects.toThrow(
    /is not empty and was not created by Clientele/,
  );
  expect(await readdir(dataDir)).toEqual(['mine.txt']);
});

async function start(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  const cluster = await startPrivatePostgres(options);
  onTestFinished(() => cluster.stop());
  return cluster;
}

async function query(
  url: string,
  sql: string,
  values?: unknown[],
): Promise<Record<string, unknown>[]> {
  return withClient(
    url,
    async (client) => (await client.query<Record<string, unknown>>(sql, values)).rows,
  );
}

async function temporaryFolder(mode: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'private-postgres-test-'));
  await chmod(folder, mode);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
