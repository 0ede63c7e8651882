import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { notices, packagesOf } from '../packages/cli/scripts/bundled-packages.ts';
import { readLockfile } from '../packages/cli/scripts/lockfile.ts';
import { billOfMaterials } from '../packages/cli/scripts/sbom.ts';
import { shippedDocs } from '../packages/cli/scripts/shipped-docs.ts';

const work = mkdtempSync(join(tmpdir(), 'clientele-bundle-'));
afterAll(() => rmSync(work, { recursive: true }));

/** Returns a file of a package that has this license. */
function install(name: string, license: string): string {
  const folder = join(work, 'node_modules', name);
  mkdirSync(join(folder, 'esm'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', license }));
  writeFileSync(join(folder, 'LICENSE'), `${name} is free.\n`);
  // Not the package's own manifest: it only sets the module type.
  writeFileSync(join(folder, 'esm/package.json'), '{ "type": "module" }');
  return join(folder, 'esm/index.js');
}

test('a bundle with a license that nobody has accepted is not built', () => {
  const files = [install('fine', 'MIT'), install('copyleft', 'GPL-3.0-only')];
  expect(() => packagesOf(files)).toThrow('not accepted: copyleft (GPL-3.0-only)');
});

test('each package is listed once, with its notices, and our own files are not', () => {
  const file = install('@some/thing', 'ISC');
  const packages = packagesOf([file, file.replace('index', 'other'), import.meta.filename]);
  expect(packages.map(({ name }) => name)).toEqual(['@some/thing']);
  expect(notices(packages)).toContain('## @some/thing 1.2.3 (ISC)\n\n@some/thing is free.\n');
});

test('the bill of materials identifies what is bundled by the hash in the lockfile', () => {
  const [id, integrity] = [...readLockfile()].find(([each]) => each.startsWith('fastify@'))!;
  const version = id.split('@')[1]!;
  const bill = (bundled: string) =>
    billOfMaterials({
      name: 'clientele',
      version: '1.0.0',
      license: 'Apache-2.0',
      bundled: [{ name: 'fastify', version: bundled, license: 'MIT', texts: [] }],
      optional: [],
      integrity: readLockfile(),
    });
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  expect(bill(version)).toMatchObject({
    components: [{ purl: `pkg:npm/fastify@${version}`, hashes: [{ alg: 'SHA-512', content }] }],
  });
  expect(() => bill('0.0.1')).toThrow('fastify@0.0.1 is not in the lockfile');
});

test('every link in the documentation of the package leads to a page of the package', () => {
  const pages = shippedDocs();
  const targets = [...pages].flatMap(([page, text]) =>
    Array.from(
      text.replaceAll(/```[^]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g),
      ([, href]) => href!,
    )
      .filter((href) => !/^([a-z]+:|#)/.test(href))
      .map((href) => posix.join(posix.dirname(page), href.replace(/#.*/, ''))),
  );
  expect(targets.length).toBeGreaterThan(50);
  expect(targets.filter((target) => !pages.has(target))).toEqual([]);
});

test('the pages that messages refer to are in the package', () => {
  const sources = globSync('packages/{cli,directory,server,import}/src/**/*.ts').map((file) =>
    readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/ .*/g, ''),
  );
  const named = sources.flatMap((text) => text.match(/\bdocs\/[\w/.-]+\.md\b/g) ?? []);
  expect(named).toContain('docs/operations.md');
  const pages = shippedDocs();
  expect(named.filter((path) => !pages.has(path))).toEqual([]);
});
