import { randomBytes } from 'node:crypto';
import { constants, existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { freePort } from '../free-port.ts';
import type { Postgres } from './find-postgres.ts';
import { startSupervisor, type StopMode } from './supervisor.ts';
import {
  giveTo,
  hasAccess,
  requireAccess,
  unprivilegedAccount,
  type Account,
} from './unprivileged-account.ts';

export interface PrivatePostgresOptions {
  postgres: Postgres;
  /** Keeps the data durably between runs. Defaults to a temporary folder that `stop` removes. */
  dataDir?: string | undefined;
  /** Without `dataDir`: starts with a copy of this folder, kept by an earlier run whose server has stopped. */
  copyOf?: string | undefined;
  /** Defaults to any free port. */
  port?: number | undefined;
  /** Settings for `postgresql.conf`. They override the settings made here. */
  settings?: Record<string, string | number | boolean> | undefined;
  /** The libc locale of a new cluster. Defaults to C.UTF-8, in which pg_trgm sees every letter. */
  locale?: string | undefined;
}

export interface PrivatePostgres {
  /** The superuser's connection URL for the database `postgres`, including the password. */
  url: string;
  port: number;
  /** The server's process id. */
  pid: number;
  dataDir: string;
  logFile: string;
  /**
   * Stops the server and removes temporary files. Further calls wait for the same stop.
   * The mode defaults to `immediate` for a temporary cluster and to `fast` for a kept one.
   */
  stop(mode?: StopMode): Promise<void>;
}

const superuser = 'clientele_admin';

const baseSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Bind values and the DETAIL of constraint violations can contain personal data.
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
  log_error_verbosity: 'terse',
};

const temporarySettings = { fsync: false, full_page_writes: false, synchronous_commit: false };

/**
 * Starts a private PostgreSQL on 127.0.0.1 and resolves when it accepts connections.
 *
 * However this process ends, even by SIGKILL, the server stops and its temporary folder is removed.
 * Ctrl-C in a terminal does not reach the server, so a caller can drain before it calls `stop`.
 * A running server does not keep this process alive. PostgreSQL refuses to run as root; if this
 * process does, the server runs as the account `postgres`, or `nobody` if there is no such account.
 */
export async function startPrivatePostgres(
  options: PrivatePostgresOptions,
): Promise<PrivatePostgres> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(options.port ?? (await freePort()), options);
    } catch (error) {
      // Another process can take the free port before PostgreSQL binds it.
      const taken = error instanceof Error && error.message.includes('could not bind');
      if (!taken || options.port !== undefined || attempt === 5) throw error;
    }
  }
}

async function startOn(port: number, options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  const { postgres, locale, settings } = options;
  const temporary = options.dataDir === undefined;
  const account = await unprivilegedAccount();
  const scratch = await makeScratch(account);
  // Once the supervisor runs, it removes the folder itself.
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const dataDir = resolve(options.dataDir ?? join(scratch, 'data'));
    const logFile = join(temporary ? scratch : dataDir, 'clientele.log');
    const copied = temporary ? options.copyOf : undefined;
    if (copied !== undefined) {
      await copyFolder(copied, dataDir);
      if (account) await giveTo(account, scratch);
    }
    const isNew = temporary && copied === undefined;
    const storedPassword = isNew ? undefined : await openDataDir(dataDir, postgres, account);
    const password = storedPassword ?? randomBytes(24).toString('base64url');
    const binDir = postgres.source === 'npm' ? await copyNpm(postgres, scratch) : postgres.binDir;
    const passwordFile = join(scratch, 'clientele.password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    await writeFile(
      join(scratch, 'clientele.conf'),
      toConf({ port, ...baseSettings, ...(temporary ? temporarySettings : {}), ...settings }),
    );
    if (account) {
      await giveTo(account, scratch);
      await requireAccess(account, '-x', join(binDir, 'initdb'));
    }
    const newCluster = [
      `--pgdata=${dataDir}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      ...localeArguments(postgres, locale),
      ...(temporary ? ['--no-sync'] : []),
    ];
    const stopMode = temporary ? 'immediate' : 'fast';
    const initdb = storedPassword === undefined ? newCluster : [];
    const supervisor = await startSupervisor({
      binDir,
      dataDir,
      logFile,
      scratch,
      stopMode,
      initdb,
      account,
    });
    process.off('exit', remove);
    let stopped: Promise<void> | undefined;
    return {
      url: `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`,
      port,
      pid: supervisor.pid,
      dataDir,
      logFile,
      stop: (mode = stopMode) => (stopped ??= supervisor.stop(mode)),
    };
  } catch (cause) {
    process.off('exit', remove);
    remove();
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `PostgreSQL ${postgres.version} did not start on port ${port}: ${reason}`;
    throw new Error(message, { cause });
  }
}

function localeArguments(postgres: Postgres, locale: string | undefined): string[] {
  if (locale !== undefined) return [`--locale=${locale}`, '--lc-messages=C'];
  // pg_trgm uses libc to recognize letters, even if another locale provider sorts.
  const libc = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  const builtin = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  return [`--locale=${libc}`, '--lc-messages=C', ...(postgres.major >= 17 ? builtin : [])];
}

function toConf(settings: Record<string, string | number | boolean>): string {
  const quote = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${quote(String(value))}\n`)
    .join('');
}

async function makeScratch(account: Account | undefined): Promise<string> {
  let root = tmpdir();
  // The account removes the folder in the end, so it needs write access to the parent folder.
  if (account && !(await hasAccess(account, '-w', root))) root = '/tmp';
  return mkdtemp(join(root, 'clientele-postgres-'));
}

/** Prepares a folder for a cluster. Returns the password if the folder already contains one. */
async function openDataDir(
  dataDir: string,
  postgres: Postgres,
  account: Account | undefined,
): Promise<string | undefined> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const used = (await readdir(dataDir)).length > 0;
  const passwordFile = join(dataDir, 'clientele.password');
  if (used) {
    if (!existsSync(passwordFile)) {
      throw new Error(`${dataDir} is not empty and was not created by Clientele.`);
    }
    const major = (await readFile(join(dataDir, 'PG_VERSION'), 'utf8')).trim();
    if (major !== String(postgres.major)) {
      throw new Error(`${dataDir} was created by PostgreSQL ${major}.`);
    }
  }
  if (account) {
    await giveTo(account, dataDir);
    await requireAccess(account, '-w', dataDir);
  }
  return used ? readFile(passwordFile, 'utf8') : undefined;
}

/**
 * Copies the installation from npm and returns the folder with the copied binaries. The original may
 * be in a folder that the server's account cannot enter, and it lacks the links between its libraries:
 * the package creates them in an install script, which does not run here.
 */
async function copyNpm(postgres: Postgres, scratch: string): Promise<string> {
  const native = dirname(postgres.binDir);
  await copyFolder(native, join(scratch, 'native'));
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(scratch, target);
    if (!existsSync(link)) await symlink(relative(dirname(target), source), link);
  }
  return join(scratch, 'native', 'bin');
}

/** Without copying the data where the file system can share it. */
async function copyFolder(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
  });
}
