import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whom PostgreSQL runs as when we are root, because it refuses to run as root. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** `undefined` when we are not root: then PostgreSQL runs as ourselves. */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const uid = Number((await run('id', ['-u', name])).stdout);
      const gid = Number((await run('id', ['-g', name])).stdout);
      return { name, uid, gid };
    } catch {
      // No such account: try the next.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no account postgres or nobody.');
}

/** What `test` says as that account: it sees every parent folder and access list on the way. */
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
      'Choose a place whose parent folders everyone can enter.',
  );
}

export async function giveTo({ uid, gid }: Account, path: string): Promise<void> {
  await run('chown', ['-R', `${uid}:${gid}`, path]);
}
