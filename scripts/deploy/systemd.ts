/**
 * Checks the units of systemd: that it finds no fault in them, how exposed they are, and that they work. For the
 * last, a systemd in namespaces of its own runs them with all of their restrictions, on an empty database.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccessKey, freePort, waitUntilReady } from '@clientele/sandbox';
import { root, run } from '../release/run.ts';
import { startEmptyDatabase, type EmptyDatabase } from './database.ts';
import { install } from '../debian.ts';
import { report } from '../report.ts';

const units = join(root, 'deploy/systemd');
const services = ['clientele-migrate', 'clientele', 'clientele-doctor'];
/** The exposure, from 0 to 10. */
const most = 2;

export async function checkSystemd(): Promise<void> {
  install('systemd-analyze');
  const folder = mkdtempSync(join(tmpdir(), 'clientele-systemd-'));
  try {
    stageInstallation(join(folder, 'local'));
    await analyze(folder);
    await tryOut(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What `npm install --global clientele` leaves in `/usr/local`, and Node. */
function stageInstallation(local: string): void {
  const dist = join(root, 'packages/cli/dist');
  if (!existsSync(join(dist, 'lib/main.js'))) throw new Error('run this first: pnpm build');
  mkdirSync(join(local, 'bin'), { recursive: true });
  cpSync(dist, join(local, 'lib/node_modules/clientele'), { recursive: true });
  symlinkSync('../lib/node_modules/clientele/bin/clientele.cjs', join(local, 'bin/clientele'));
  copyFileSync(process.execPath, join(local, 'bin/node'));
}

async function analyze(folder: string): Promise<void> {
  const files = readdirSync(units).map((name) => join(units, name));
  const local = 'mount --make-rprivate / && mount --bind "$0" /usr/local && exec "$@"';
  const analyzeWith = (...args: string[]): Promise<string> =>
    run(
      root,
      'unshare',
      '-m',
      'sh',
      '-c',
      `${local} 2>&1`,
      join(folder, 'local'),
      'systemd-analyze',
      ...args,
    );
  const faults = await analyzeWith('verify', '--man=no', ...files);
  if (faults !== '') throw new Error(faults);
  report(`systemd-analyze verify: ${files.length} units`);
  for (const file of files.filter((name) => name.endsWith('.service'))) {
    const table = await analyzeWith('security', '--offline=true', '--no-pager', file);
    const exposure = Number(/exposure level for \S+ ([\d.]+)/.exec(table)?.[1] ?? Infinity);
    if (exposure > most) throw new Error(table);
    report(
      `systemd-analyze security: ${exposure}, at most ${most}: ${file.slice(root.length + 1)}`,
    );
  }
}

async function tryOut(folder: string): Promise<void> {
  await using database = await startEmptyDatabase();
  const [port, adminPort] = [await freePort(), await freePort()];
  writeUnits(folder, { database, port, adminPort });
  const cgroup = makeControlGroup(folder);
  const systemd = spawn(join(import.meta.dirname, 'boot-systemd'), [folder], { stdio: 'inherit' });
  const ended = once(systemd, 'exit');
  const end = (): boolean => systemd.kill('SIGKILL');
  process.once('exit', end);
  try {
    const isRunning = (): boolean => systemd.exitCode === null;
    await waitUntilReady(`http://127.0.0.1:${adminPort}`, { isRunning, timeoutMs: 60_000 });
    const key = await createAccessKey(database.ownerUrl, 'check');
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${port}/v3/customers`, { headers });
    if (response.status !== 200) throw new Error(`the server answers with ${response.status}`);
    report('systemd: migrated, and a request served, with all restrictions');
    const metrics = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
    if (!/^process_open_fds \d/m.test(await metrics.text()))
      throw new Error('there are no metrics');
    await expectResult(folder, 'clientele-migrate', 'success');
    await expectResult(folder, 'clientele-doctor', 'success');
    report('systemd: the doctor found nothing that must be fixed');
    // Through systemd, as an operator would.
    writeFileSync(join(folder, 'stop'), '');
    await expectResult(folder, 'clientele', 'success');
    report('systemd: the server drained');
  } catch (error) {
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.log'))) {
      process.stderr.write(`${name}:\n${readFileSync(join(folder, name), 'utf8')}\n`);
    }
    throw error;
  } finally {
    end();
    await ended;
    process.off('exit', end);
    await removeControlGroup(cgroup);
  }
}

interface Circumstances {
  database: EmptyDatabase;
  port: number;
  adminPort: number;
}

/** The units as they are, with files that only add what a check needs. */
function writeUnits(folder: string, { database, port, adminPort }: Circumstances): void {
  const system = join(folder, 'etc/systemd/system');
  const write = (name: string, text: string): void => writeFileSync(join(system, name), text);
  cpSync(units, system, { recursive: true });
  for (const name of services) {
    mkdirSync(join(system, `${name}.service.d`));
    const result = `${folder}/${name}.result`;
    const after = name === 'clientele-doctor' ? 'After=clientele-migrate.service' : '';
    write(
      `${name}.service.d/check.conf`,
      `[Unit]\nDefaultDependencies=no\n${after}\n[Service]\nStandardOutput=append:${folder}/${name}.log\n` +
        `StandardError=inherit\nExecStopPost=+/bin/sh -c 'echo $SERVICE_RESULT >>${result}'\n`,
    );
  }
  const wanted = services.map((name) => `${name}.service`).join(' ');
  write('check.target', `[Unit]\nDefaultDependencies=no\nWants=stop.path ${wanted}\n`);
  write(
    'stop.path',
    `[Unit]\nDefaultDependencies=no\n[Path]\nPathExists=${folder}/stop\nUnit=stop.target\n`,
  );
  write('stop.target', '[Unit]\nDefaultDependencies=no\nConflicts=clientele.service\n');
  const settings = join(folder, 'etc/clientele');
  mkdirSync(settings);
  // Only root can read these; systemd passes them on.
  writeFileSync(join(settings, 'owner-url'), database.ownerUrl, { mode: 0o600 });
  writeFileSync(join(settings, 'serve-url'), database.serveUrl, { mode: 0o600 });
  writeFileSync(
    join(settings, 'settings'),
    `HOST=0.0.0.0\nPORT=${port}\nCLIENTELE_ADMIN_PORT=${adminPort}\n`,
  );
}

/** Waits until the unit has ended, and reports how. */
async function expectResult(folder: string, name: string, wanted: string): Promise<void> {
  const file = join(folder, `${name}.result`);
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const last = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').at(-1) : '';
    if (last === wanted) return;
    await sleep(100);
  }
  throw new Error(`${name} did not end with ${wanted}`);
}

function makeControlGroup(folder: string): string {
  const targets = execFileSync('findmnt', ['-nt', 'cgroup2', '-o', 'TARGET'], { encoding: 'utf8' });
  const cgroup = join(targets.split('\n')[0]!, `clientele-check-${process.pid}`);
  mkdirSync(cgroup);
  writeFileSync(join(folder, 'cgroup'), cgroup);
  return cgroup;
}

/** The last of its processes may still be ending. */
async function removeControlGroup(cgroup: string): Promise<void> {
  const events = join(cgroup, 'cgroup.events');
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (readFileSync(events, 'utf8').includes('populated 0')) break;
    await sleep(100);
  }
  execFileSync('find', [cgroup, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
}
