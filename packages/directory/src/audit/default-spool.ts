import { hash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Files in /var/tmp survive a restart of the machine. Each database has a folder of its own. */
export async function defaultSpool(urls: readonly string[]): Promise<string> {
  const lasting = await lstat('/var/tmp').then(
    (found) => found.isDirectory(),
    () => false,
  );
  const places = urls.map((url) => new URL(url)).map(({ host, pathname }) => host + pathname);
  const database = hash('sha256', places.toSorted().join(' ')).slice(0, 12);
  const name = `clientele-audit-${userInfo().uid}-${database}`;
  return join(lasting ? '/var/tmp' : tmpdir(), name);
}
