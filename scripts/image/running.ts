/** A container of the image under load: its start, its memory, its connections, its end. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isReady } from '@clientele/sandbox';
import { IsolatedNetwork } from './isolated-network.ts';
import { report } from '../report.ts';
import { expect, judge, limits } from './limits.ts';
import { podman } from './podman.ts';
import { Searcher } from './searches.ts';

const customers = 30_000;
const searches = 10_000;

/** No privileges, nothing that can be written, not even `/tmp`, and no swap. */
const confined = [
  ...['--read-only', '--read-only-tmpfs=false', '--cap-drop', 'all'],
  ...['--security-opt', 'no-new-privileges', '--no-healthcheck'],
  ...['--memory', limits.memory, '--memory-swap', limits.memory],
];

export async function checkRunning(image: string, postgres: string): Promise<void> {
  await using network = await IsolatedNetwork.create(image, postgres);
  const clientele = (...args: string[]): Promise<string> =>
    podman('run', '--rm', ...confined, ...network.options, image, ...args);
  await clientele('migrate', '--wait', '60', '--quiet');
  await network.addFile('customers.csv', await generate(image));
  await clientele('import', '/data/customers.csv', '--quiet');
  const key = await clientele('keys', 'create', '--name', 'check');

  const server = await network.createContainer(
    'server',
    ...[...confined, ...network.options],
    // The load comes from one key.
    ...['--env', 'CLIENTELE_RATE_SEARCHES=0', '--env', 'CLIENTELE_CONCURRENCY=0'],
    ...['--env', 'LOG_LEVEL=warn', image],
  );
  const origin = `http://${network.address}:8080`;
  await checkStart(server, origin);
  await checkIdle(server);
  await checkProcess(server);

  const searcher = new Searcher(origin, key);
  const different = await searcher.distinctSearches(searches);
  await searcher.runAll(different);
  await podman('exec', server, 'clientele', 'health');
  const { oomKilled, running } = await state(server);
  expect(running && !oomKilled, 'the server was killed for lack of memory');
  const { peak } = await memory(server);
  report(
    `${searches} searches of ${customers} customers at --memory ${limits.memory}: no OOM, ` +
      `at most ${peak.toFixed(0)} MB, ${searcher.refused} answered with 503 and sent again`,
  );

  await podman('stop', '--time', '12', server);
  const { exitCode } = await state(server);
  expect(exitCode === 0, `the server drained with exit code ${exitCode}`);
  report('SIGTERM: exit code 0');
  await checkConnections(network, image);
}

/** An attempt at the end shows that the counter would have seen one. */
async function checkConnections(network: IsolatedNetwork, image: string): Promise<void> {
  const { database, elsewhere } = await network.counts();
  expect(database > 0, 'no connection to the database was counted, so the counter is broken');
  expect(elsewhere === 0, `${elsewhere} packets went elsewhere than to the database`);
  const attempt = `require('net').connect(443, '198.51.100.1').on('error', () => undefined).setTimeout(500, process.exit)`;
  await podman(
    ...['run', '--rm', ...confined, ...network.options, '--entrypoint', 'node', image],
    ...['--eval', attempt],
  );
  const after = await network.counts();
  expect(
    after.elsewhere > 0,
    'a connection to elsewhere was not counted, so the counter is broken',
  );
  report(`${database} connections to the database, no packet to anywhere else`);
}

const generate = (image: string): Promise<string> =>
  podman(
    ...['run', '--rm', '--network', 'none', '--no-healthcheck', image],
    ...['generate', '--quiet', '--customers', String(customers)],
  );

/** Its processor time does not depend on what else the machine does, so it is judged without tolerance. */
async function checkStart(container: string, origin: string): Promise<void> {
  const starts: { seconds: number; processor: number }[] = [];
  for (let i = 0; i < 5; i++) {
    if (i > 0) await podman('stop', '--time', '12', container);
    const started = performance.now();
    await podman('start', container);
    while (!(await isReady(origin))) {
      if (performance.now() > started + 30_000) throw new Error('the server does not get ready');
      await delay(5);
    }
    const seconds = (performance.now() - started) / 1000;
    starts.push({ seconds, processor: await processorSeconds(container) });
  }
  const fastest = (of: 'seconds' | 'processor') => Math.min(...starts.map((each) => each[of]));
  const least = fastest('processor');
  expect(least <= limits.readySeconds, `a start takes ${least} s of processor time`);
  report(`processor time until ready: ${least.toFixed(2)} s`);
  judge('start to ready, fastest of five', fastest('seconds'), limits.readySeconds, 's');
}

async function processorSeconds(container: string): Promise<number> {
  const { pid } = await state(container);
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  // User and system time, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** As the limit of a container counts it: pages of Node's executable belong to whoever read them first. */
async function checkIdle(container: string): Promise<void> {
  await podman('restart', '--time', '12', container);
  await delay(10_000);
  const usage = await podman('stats', '--no-stream', '--format', '{{.MemUsage}}', container);
  const [, megabytes] = /^([\d.]+)MB /.exec(usage) ?? [];
  expect(megabytes !== undefined, `podman stats reports ${usage}`);
  judge('memory of an idle server', Number(megabytes), limits.idleMb, 'MB');
  const { now, shared } = await memory(container);
  report(`resident: ${now.toFixed(0)} MB, ${shared.toFixed(0)} MB of them files such as Node`);
}

interface State {
  pid: number;
  running: boolean;
  oomKilled: boolean;
  exitCode: number;
}

async function state(container: string): Promise<State> {
  const format = '{{.State.Pid}} {{.State.Running}} {{.State.OOMKilled}} {{.State.ExitCode}}';
  const [pid, running, killed, code] = (
    await podman('inspect', '--format', format, container)
  ).split(' ');
  return {
    pid: Number(pid),
    running: running === 'true',
    oomKilled: killed === 'true',
    exitCode: Number(code),
  };
}

/** Resident memory in MB, with the files that are shared with other processes. */
async function memory(container: string): Promise<{ now: number; peak: number; shared: number }> {
  const { pid } = await state(container);
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1024) / 1e6;
  return { now: read('VmRSS'), peak: read('VmHWM'), shared: read('RssFile') };
}

/** One process, with the flag: it did not start itself again. */
async function checkProcess(container: string): Promise<void> {
  const { pid } = await state(container);
  const line = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').join(' ').trim();
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  expect(line.startsWith('node --max-semi-space-size=8 '), `process 1 is ${line}`);
  expect(children.trim() === '', 'process 1 started another one');
  report(`one process: ${line}`);
}
