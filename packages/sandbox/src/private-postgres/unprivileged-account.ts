import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The account that PostgreSQL runs as if this process runs as root, which PostgreSQL refuses. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** Returns `undefined` if this process does not run as root: PostgreSQL then runs as the same user. */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const uid = Number((await run('id', ['-u', name])).stdout);
      const gid = Number((await run('id', ['-g', name])).stdout);
      return { name, uid, gid };
    } catch {
      // There is no such account. Try the next one.
    }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither an account postgres nor nobody.',
  );
}

/** Runs `test` as that account, which takes every parent folder and access control list into account. */
export async function hasAccess(
  { uid, gid }: Account,
  flag: '-w' | '-x',
  path: string,
): Promise<boolean> {
  return run('test', [flag, path], { uid, gid, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

export async function requireAccess(
  account: Account,
  flag: '-w' | '-x',
  path: string,
): Promise<void> {
  if (await hasAccess(account, flag, path)) return;
  throw new Error(
    `PostgreSQL does not run as root, and the account ${account.name} has no access to ${path}. ` +
      'Choose a folder whose parent folders everyone can enter.',
  );
}

export async function giveTo({ uid, gid }: Account, path: string): Promise<void> {
  await run('chown', ['-R', `${uid}:${gid}`, path]);
}
