/** Checks the manifests for Kubernetes: each overlay can be built, and each of its objects is what the API accepts. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { root, run } from '../release/run.ts';
import { install } from '../debian.ts';
import { report } from '../report.ts';

const manifests = join(root, 'deploy/kubernetes');

/** As much of an object as all kinds share. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

export async function checkKubernetes(): Promise<void> {
  install('kubectl');
  for (const name of ['base', ...readdirSync(join(manifests, 'overlays')).map(overlay)]) {
    const objects = await build(name);
    await checkValues(objects);
    await checkFields(objects);
    report(`kubectl kustomize, values and fields: ${objects.length} objects of ${name}`);
  }
  if (await isOld()) return;
  for (const component of readdirSync(join(manifests, 'components'))) {
    const objects = await build('own', (folder) => addOverlay(folder, component));
    await checkValues(objects);
    await checkFields(objects);
    report(`kubectl kustomize, values and fields: ${objects.length} objects with ${component}`);
  }
}

/** As an operator's own: docs/how-to/kubernetes.md. */
function addOverlay(folder: string, component: string): void {
  mkdirSync(join(folder, 'own'));
  writeFileSync(
    join(folder, 'own/kustomization.yaml'),
    stringify({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['../overlays/production'],
      components: [`../components/${component}`],
    }),
  );
}

const overlay = (name: string): string => `overlays/${name}`;

/** `change` may edit a copy of the manifests first. */
export async function build(
  name: string,
  change: (folder: string) => void = () => undefined,
): Promise<KubernetesObject[]> {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-kubernetes-'));
  try {
    cpSync(manifests, folder, { recursive: true });
    change(folder);
    if (await isOld()) useOldNames(folder);
    const text = await run(folder, 'kubectl', 'kustomize', name);
    return parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Debian 12 has a kubectl from before Kustomize 2.1, in which bases and patches have other names. */
async function isOld(): Promise<boolean> {
  const version = await run(root, 'kubectl', 'version', '--client', '--output', 'json');
  const { minor } = (JSON.parse(version) as { clientVersion: { minor: string } }).clientVersion;
  return Number.parseInt(minor, 10) < 21;
}

function useOldNames(folder: string): void {
  for (const name of readdirSync(join(folder, 'overlays')).map(overlay)) {
    const file = join(folder, name, 'kustomization.yaml');
    const text = readFileSync(file, 'utf8')
      .replace('resources:\n  - ../../base', 'bases:\n  - ../../base')
      .replace('patches:\n  - path: ', 'patchesStrategicMerge:\n  - ');
    writeFileSync(file, text);
  }
}

/** By the schemas of the API, which allow unknown fields. */
async function checkValues(objects: KubernetesObject[]): Promise<void> {
  for (const object of objects) {
    const kinds = (await import(`kubernetes-models/${object.apiVersion}`)) as Record<
      string,
      new (data: KubernetesObject) => { validate(): void }
    >;
    const Kind = kinds[object.kind];
    if (!Kind) throw new Error(`${object.apiVersion} has no ${object.kind}`);
    try {
      new Kind(object).validate();
    } catch (cause) {
      throw new Error(`${object.kind} ${object.metadata.name} is wrong`, { cause });
    }
  }
}

/** By the types of the API: the compiler refuses fields that they lack. */
async function checkFields(objects: KubernetesObject[]): Promise<void> {
  const folder = join(root, 'node_modules/.cache/clientele-manifests');
  mkdirSync(folder, { recursive: true });
  const lines = objects.map(
    (object) =>
      `export const ${object.kind} = ${JSON.stringify(object, null, 2)} ` +
      `satisfies import('kubernetes-models/${object.apiVersion}').I${object.kind};\n`,
  );
  const file = join(folder, 'objects.ts');
  writeFileSync(file, lines.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig'];
  await run(root, 'node_modules/.bin/tsc', ...options, '--module', 'nodenext', file);
}
