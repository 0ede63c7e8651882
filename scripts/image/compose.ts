/**
 * Runs the commands of the quickstart in docs/how-to/container.md, on a copy of `deploy`. Without Docker, its
 * Compose runs on the API of Podman.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isPortFree, waitUntilReady } from '@clientele/sandbox';
import { root, runWith } from '../release/run.ts';
import { report } from '../report.ts';
import { expect } from './limits.ts';
import { podman, podmanEnvironment } from './podman.ts';
import { composePostgres } from './postgres.ts';
import { Searcher } from './searches.ts';

const page = 'docs/how-to/container.md';
const origin = 'http://127.0.0.1:8080';

export async function checkCompose(image: string, postgres: string): Promise<void> {
  expect(await isPortFree(8080), 'the quickstart needs port 8080, which is in use');
  const commands = await quickstart();
  expect(commands.length === 3, `the quickstart has ${commands.length} commands`);
  const folder = await mkdtemp(join(tmpdir(), 'clientele-compose-'));
  await cp(join(root, 'deploy'), join(folder, 'deploy'), {
    recursive: true,
    filter: (path) => !path.endsWith('/secrets'),
  });
  // The name in the file, for as long as the check runs.
  const official = await composePostgres();
  if (postgres !== official) await podman('tag', postgres, official);
  await using service = await startService(folder);
  const run = (text: string): Promise<string> =>
    runWith({ ...service.env, CLIENTELE_IMAGE: image }, folder, 'bash', '-c', asHere(text));
  try {
    await run(commands[0]!);
    await run(commands[1]!);
    await waitUntilReady(origin, { isRunning: () => true, timeoutMs: 60_000 });
    const key = (await run(commands[2]!)).trim();
    const { pagination } = await new Searcher(origin, key).page({});
    expect(pagination.total === 0, 'the new directory is not empty');
    const log = await run('docker compose -f deploy/compose.yaml logs --no-color clientele');
    const warnings = log.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line));
    expect(warnings.length === 0, `the server starts with warnings: ${warnings.join('; ')}`);
    report(`Compose quickstart: ${commands.length} commands to a served request`);
  } finally {
    await run('docker compose -f deploy/compose.yaml down --volumes');
    if (postgres !== official) await podman('untag', official, official);
    await rm(folder, { recursive: true, force: true });
  }
}

async function quickstart(): Promise<string[]> {
  const text = await readFile(join(root, page), 'utf8');
  const [, block = ''] = /^## Quickstart[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(text) ?? [];
  return block.split('\n').filter((line) => line !== '');
}

/** Debian has the older program, with the same commands. `-T`: there is no terminal. */
const asHere = (text: string): string =>
  text.replace('docker compose', 'docker-compose').replace(' run --rm ', ' run --rm -T ');

/** Podman with the API of Docker, on a socket of its own. */
async function startService(folder: string) {
  const socket = join(folder, 'podman.sock');
  const env = podmanEnvironment();
  const service = spawn('podman', ['system', 'service', '--time', '0', `unix://${socket}`], {
    env,
    stdio: 'ignore',
  });
  for (let i = 0; !existsSync(socket); i++) {
    expect(i < 100 && service.exitCode === null, 'the API of Podman did not start');
    await delay(100);
  }
  return {
    env: { ...env, DOCKER_HOST: `unix://${socket}`, COMPOSE_PROJECT_NAME: 'clientele-check' },
    [Symbol.asyncDispose]: async () => void service.kill(),
  };
}
