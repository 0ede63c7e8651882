/**
 * Runs the manifests with `podman kube play`: the migration and one instance, up to a served request. Podman knows no
 * Job, so its template is played as a Pod. Needs the image.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccessKey, freePort, waitUntilReady } from '@clientele/sandbox';
import { stringify } from 'yaml';
import { hasImage, hasPodman, podman } from '../image/podman.ts';
import { root } from '../release/run.ts';
import { startEmptyDatabase, type EmptyDatabase } from './database.ts';
import { build, type KubernetesObject } from './kubernetes.ts';
import { report } from '../report.ts';

interface Workload extends KubernetesObject {
  spec: { template: { spec: { restartPolicy?: string; containers: { ports?: Port[] }[] } } };
}

interface Port {
  hostIP?: string;
  hostPort?: number;
}

/** The names that Podman gives. */
const pods = { migration: 'clientele-migrate', server: 'clientele-pod-0' };
const containers = {
  migration: 'clientele-migrate-migrate',
  wait: 'clientele-pod-0-wait-for-migration',
  server: 'clientele-pod-0-clientele',
};

export async function checkKubePlay(): Promise<void> {
  const image = `localhost/clientele:${version()}`;
  if (!hasPodman() || !(await hasImage(image))) {
    process.stdout.write(`- kube play: left out, because Podman does not have ${image}\n`);
    return;
  }
  const objects = await build('overlays/small', (folder) => {
    const images = [{ name: 'clientele', newName: 'localhost/clientele' }];
    appendFileSync(join(folder, 'base/kustomization.yaml'), stringify({ images }));
  });
  await using database = await startEmptyDatabase();
  await using cleanup = new AsyncDisposableStack();
  try {
    await play(objects, database, cleanup);
  } catch (error) {
    for (const name of Object.values(containers)) {
      process.stderr.write(await podman('logs', name).catch(() => `there is no ${name}\n`));
    }
    throw error;
  }
}

async function play(
  objects: KubernetesObject[],
  database: EmptyDatabase,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-play-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const network = `clientele-check-${process.pid}`;
  await podman('network', 'create', '--disable-dns', network);
  cleanup.defer(async () => void (await podman('network', 'rm', '--force', network)));
  const format = '{{(index .Subnets 0).Gateway}}';
  const gateway = await podman('network', 'inspect', '--format', format, network);
  const door = { host: gateway, port: await freePort() };
  await createSecret(cleanup, folder, 'clientele-owner', at(door, database.ownerUrl));
  await createSecret(cleanup, folder, 'clientele-serve', at(door, database.serveUrl));

  const start = (pod: string, ...played: KubernetesObject[]): Promise<string> => {
    const file = join(folder, `${pod}.yaml`);
    writeFileSync(file, played.map((object) => stringify(object)).join('---\n'));
    cleanup.defer(
      async () => void (await podman('pod', 'rm', '--force', '--time', '1', '--ignore', pod)),
    );
    return podman('kube', 'play', '--network', network, file);
  };
  const only = (kind: string): Workload => objects.find((each) => each.kind === kind) as Workload;
  // The instance first: Podman starts it when its init container has seen the migration.
  const serving = start(pods.server, only('ConfigMap'), await asPodmanNeeds(only('Deployment')));
  // Reported by `await` below, unless something else fails first.
  serving.catch(() => undefined);
  await openDoor(cleanup, door, database);
  const { template } = only('Job').spec;
  const metadata = { ...only('Job').metadata, name: pods.migration };
  await start(pods.migration, { ...template, apiVersion: 'v1', kind: 'Pod', metadata });
  const exitCode = await podman('wait', containers.migration);
  if (exitCode !== '0') throw new Error(`the migration exited with ${exitCode}`);
  await serving;
  await request(database);
  await podman('stop', '--time', '15', containers.server);
  const ended = await podman('inspect', '--format', '{{.State.ExitCode}}', containers.server);
  if (ended !== '0') throw new Error(`the server exited with ${ended}`);
  report('podman kube play: the server drained');
}

async function request(database: EmptyDatabase): Promise<void> {
  const infra = await podman('pod', 'inspect', '--format', '{{.InfraContainerID}}', pods.server);
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
  const address = await podman('inspect', '--format', format, infra);
  await waitUntilReady(`http://${address}:9090`, { isRunning: () => true, timeoutMs: 60_000 });
  const key = await createAccessKey(database.ownerUrl, 'check');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`http://${address}:8080/v3/customers`, { headers });
  if (response.status !== 200) throw new Error(`the server answers with ${response.status}`);
  report('podman kube play: the instance waited for the migration, and served a request');
}

/**
 * Podman publishes the ports of containers on all addresses unless they name one, and restarts init containers that
 * succeeded, if it may.
 */
async function asPodmanNeeds(workload: Workload): Promise<Workload> {
  const { spec } = workload.spec.template;
  spec.restartPolicy = 'Never';
  for (const { ports } of spec.containers) {
    for (const port of ports ?? []) {
      Object.assign(port, { hostIP: '127.0.0.1', hostPort: await freePort() });
    }
  }
  return workload;
}

/** In the form in which Podman 4.3 keeps secrets of Kubernetes; it would not decode those of a manifest. */
async function createSecret(
  cleanup: AsyncDisposableStack,
  folder: string,
  name: string,
  url: string,
): Promise<void> {
  const file = join(folder, name);
  writeFileSync(file, stringify({ data: { 'database-url': url } }), { mode: 0o600 });
  await podman('secret', 'create', name, file);
  cleanup.defer(async () => void (await podman('secret', 'rm', name)));
  cleanup.defer(async () => void (await podman('volume', 'rm', '--force', name)));
}

interface Door {
  host: string;
  port: number;
}

function at({ host, port }: Door, url: string): string {
  const moved = new URL(url);
  moved.host = `${host}:${port}`;
  return moved.href;
}

/** Leads from the network of the containers to PostgreSQL on loopback. Its address exists once a container runs. */
async function openDoor(
  cleanup: AsyncDisposableStack,
  door: Door,
  { ownerUrl }: EmptyDatabase,
): Promise<void> {
  const { hostname, port } = new URL(ownerUrl);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('error', () => far.destroy()).pipe(far);
    far.on('error', () => near.destroy()).pipe(near);
  });
  cleanup.defer(() => void server.close());
  for (let attempt = 1; ; attempt += 1) {
    const fault = await new Promise<Error | undefined>((resolve) => {
      server.once('error', resolve).listen(door, () => resolve(undefined));
    });
    server.removeAllListeners('error');
    if (fault === undefined) return;
    if (attempt === 100) throw fault;
    await sleep(200);
  }
}

function version(): string {
  const manifest = readFileSync(join(root, 'packages/cli/package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
