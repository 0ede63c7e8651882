/**
 * `pnpm proxies:check`: the service behind HAProxy, nginx and Varnish from Debian. Nothing is smuggled past them, no
 * spoofed address counts, nothing personal is cached, the cookie has the right attributes, and the rows of a list come
 * before its total.
 */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort, openPrivateDirectory } from '@clientele/sandbox';
import { Nodes } from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import { install, path } from './debian.ts';
import { start } from './monitoring/observers.ts';
import {
  cookiesAreRight,
  noSpoofedAddressCounts,
  nothingIsSmuggled,
  nothingPersonalIsCached,
  untilItAnswers,
  type Setup,
} from './proxies/checks.ts';
import { noCutListIsWhole, rowsComeFirst } from './proxies/rows-first.ts';
import { proxies, type Proxy } from './proxies/proxies.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** A service of its own for each proxy, so that they do not share limits. */
async function startService(databaseUrl: string, consoleFolder: URL) {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    CLIENTELE_TRUSTED_PROXIES: '127.0.0.1',
    CLIENTELE_PUBLIC_ORIGIN: 'https://customers.example',
    CLIENTELE_WARM_UP: 'off',
  });
  const nodes = new Nodes(config);
  const lines: string[] = [];
  const readiness = { checked: true, draining: false };
  const logStream = { write: (line: string) => void lines.push(line) };
  const app = await buildApp({ config, nodes, readiness, consoleFolder, logStream });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    nodes,
    service: (app.server.address() as AddressInfo).port,
    methods: () =>
      lines.map((line) => (JSON.parse(line) as { method?: string }).method ?? 'no request'),
    async stop() {
      app.server.closeAllConnections();
      await app.close();
      await nodes.close();
    },
  };
}

async function check(proxy: Proxy, home: string, databaseUrl: string, key: string) {
  const folder = join(home, proxy.program);
  await mkdir(folder);
  await chmod(folder, 0o777);
  const running = await startService(databaseUrl, pathToFileURL(join(home, 'console/')));
  const { http10, packs } = proxy;
  const setup: Setup = { port: await freePort(), key, http10, packs, ...running };
  const command = await proxy.prepare(folder, setup.port, setup.service);
  const serving = start(command, join(folder, 'output.log'), { ...process.env, PATH: path });
  let failed = 0;
  try {
    await untilItAnswers(setup);
    const checks = [
      nothingIsSmuggled,
      noSpoofedAddressCounts,
      nothingPersonalIsCached,
      cookiesAreRight,
      rowsComeFirst,
      noCutListIsWhole,
    ];
    for (const each of checks) {
      await each(setup).then(
        (result) => say(`${proxy.name}: ${result}`),
        (error: Error) => {
          failed += 1;
          say(`${proxy.name}: FAILED, ${each.name}: ${error.message}`);
        },
      );
    }
  } finally {
    await serving.stop();
    await running.stop();
  }
  return failed;
}

install(...proxies.map(({ program }) => program));
const home = await mkdtemp(join(tmpdir(), 'clientele-proxies-'));
await chmod(home, 0o755);
await mkdir(join(home, 'console/assets'), { recursive: true });
await writeFile(join(home, 'console/index.html'), '<!doctype html>');
await writeFile(join(home, 'console/assets/app-1234.js'), '1');
const directory = await openPrivateDirectory({
  customers: 100,
  onProgress: () => undefined,
  until: new AbortController().signal,
});
let failures = 0;
try {
  for (const proxy of proxies) {
    failures += await check(proxy, home, directory.databaseUrl, directory.key);
  }
} finally {
  await directory.stop();
  await rm(home, { recursive: true, force: true });
}
say(failures === 0 ? 'every check passed' : `${failures} checks failed`);
process.exitCode = failures === 0 ? 0 : 1;
