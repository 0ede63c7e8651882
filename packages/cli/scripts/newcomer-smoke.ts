/**
 * What a newcomer does in an empty folder: install the packed packages, run `clientele demo` with a file,
 * search for a customer, press Ctrl-C. `pnpm packages:check` runs it after `pnpm build`.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const workspace = fileURLToPath(new URL('../../..', import.meta.url));
const packed = ['contract', 'server', 'import', 'sandbox', 'console', 'cli'];

const work = await mkdtemp(join(tmpdir(), 'clientele-smoke-'));
try {
  const [tarballs, home, scratch] = ['tarballs', 'home', 'scratch'].map((name) => join(work, name));
  for (const folder of [tarballs!, home!, scratch!]) await mkdir(folder);
  // PostgreSQL may run as another user.
  await chmod(work, 0o755);
  await chmod(scratch!, 0o1777);
  await install(tarballs!, home!);
  await copyFile(join(workspace, 'examples/customers.csv'), join(home!, 'customers.csv'));
  await tryDemo(home!, scratch!);
} finally {
  await rm(work, { recursive: true, force: true });
}

/** The packages are not in a registry, so each is overridden with its tarball. */
async function install(tarballs: string, home: string): Promise<void> {
  const overrides = await Promise.all(
    packed.map(async (name) => {
      const cwd = join(workspace, 'packages', name);
      const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', tarballs], {
        cwd,
      });
      const { filename } = JSON.parse(stdout) as { filename: string };
      return [`@clientele/${name}`, `file:${filename}`] as const;
    }),
  );
  const lines = overrides.map(([name, file]) => `  '${name}': '${file}'\n`);
  await writeFile(join(home, 'pnpm-workspace.yaml'), `overrides:\n${lines.join('')}`);
  const dependencies = { '@clientele/cli': Object.fromEntries(overrides)['@clientele/cli'] };
  await writeFile(join(home, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await run('pnpm', ['install', '--prefer-offline', '--ignore-scripts'], { cwd: home });
}

async function tryDemo(home: string, scratch: string): Promise<void> {
  const started = performance.now();
  const { DATABASE_URL: _, ...env } = process.env;
  const demo = spawn(
    join(home, 'node_modules/.bin/clientele'),
    ['demo', 'customers.csv', '--port', '0', '--json'],
    { cwd: home, env: { ...env, TMPDIR: scratch }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(demo, 'exit');
  const lines = createInterface(demo.stdout)[Symbol.asyncIterator]();
  const line = await Promise.race([lines.next(), exited.then(() => undefined)]);
  if (!line || line.done) throw new Error('the demo exited before it was ready');
  const { url, key, console } = JSON.parse(line.value) as Record<'url' | 'key', string> & {
    console: boolean;
  };
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v3/customers?search=zoe`, { headers });
  const { data } = (await response.json()) as { data: { full_name: string }[] };
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  expect(data[0]?.full_name === 'Zoë Example', `the search found ${JSON.stringify(data)}`);
  expect(console, 'the console package contains no built console');
  const page = await (await fetch(`${url}/`)).text();
  expect(page.includes('<title>'), 'the console is not served');
  demo.kill('SIGINT');
  const [code] = (await exited) as [number | null];
  expect(code === 0, `the demo exited with ${code}`);
  expect((await readdir(scratch)).length === 0, 'the demo left files behind');
  process.stdout.write(`✓ packed, installed; a demo with a file answers a search (${seconds} s)\n`);
}

function expect(condition: boolean, failure: string): void {
  if (!condition) throw new Error(failure);
}
