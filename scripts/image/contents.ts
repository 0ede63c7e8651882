/** What is in the image, and how a container starts by default. */
import type { Base } from './base.ts';
import { report } from '../report.ts';
import { expect, judge, limits } from './limits.ts';
import { podman } from './podman.ts';

interface Inspected {
  Size: number;
  Config: { User: string; Labels: Record<string, string>; Volumes?: object };
  Healthcheck?: { Test: string[] };
}

export async function checkContents(image: string, base: Base): Promise<void> {
  const ours = await inspect(image);
  judge('our layers', (ours.Size - (await inspect(base.name)).Size) / 1e6, limits.layersMb, 'MB');

  const changes = await podman('image', 'diff', '--format', 'json', image, base.name);
  const { added = [], changed = [], deleted = [] } = JSON.parse(changes) as Changes;
  const others = [...added, ...changed, ...deleted].filter((path) => !allowed.test(path));
  expect(others.length === 0, `the image also contains ${others.join(', ')}`);
  for (const path of ['lib/main.js', 'migrations', 'console/index.html', 'sbom.cdx.json']) {
    expect(added.includes(`/opt/clientele/${path}`), `the image lacks ${path}`);
  }
  report(`${added.length} files and folders, all of them in /opt/clientele`);

  const { User, Labels } = ours.Config;
  expect(/^[1-9]\d*:[1-9]\d*$/.test(User), `the user is ${User}, not a number other than 0`);
  expect(ours.Healthcheck?.Test.join(' ') === 'CMD clientele health', 'there is no health check');
  const label = Labels['org.opencontainers.image.version'];
  expect(image.endsWith(`:${label}`), `the label of the version is ${label}`);
  report(`user ${User}, health check and labels`);
}

interface Changes {
  added?: string[];
  changed?: string[];
  deleted?: string[];
}

const allowed =
  /^\/opt(\/clientele(\/((bin|console|lib|migrations)(\/.*)?|package\.json|sbom\.cdx\.json|LICENSE|THIRD-PARTY-LICENSES\.md))?)?$/;

async function inspect(image: string): Promise<Inspected> {
  const [inspected] = JSON.parse(await podman('image', 'inspect', image)) as Inspected[];
  return inspected!;
}
