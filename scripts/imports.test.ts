/** `pnpm lint` fails on an import that closes a circle, and on one from a room to another that the table does not allow. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { circles, readImports, wrongWays } from './checks/imports.ts';
import { packages } from './checks/rooms.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sourceOf = (name: string): string => join(root, 'packages', name, 'src');

let copy: string;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'clientele-imports-'));
  for (const name of ['directory', 'server']) {
    await cp(sourceOf(name), join(copy, name), { recursive: true });
  }
});
afterAll(() => rm(copy, { recursive: true }));

const faults = (folder: string, name: string): { circles: string[]; wrong: string[] } => {
  const imports = readImports(folder);
  return { circles: circles(imports), wrong: wrongWays(imports, packages[name]!) };
};

/** What the check finds in a package once a file is added. */
async function faultsWith(name: string, path: string, text: string) {
  await writeFile(join(copy, name, path), text);
  try {
    return faults(join(copy, name), name);
  } finally {
    await rm(join(copy, name, path));
  }
}

test.each(Object.keys(packages))(
  '%s has no circle and no import in the wrong direction',
  (name) => {
    expect(faults(sourceOf(name), name)).toEqual({ circles: [], wrong: [] });
  },
);

test.each([
  `import type { Lane } from './lane.ts';`,
  `import {\n  type Lane,\n} from './lane.ts';`,
  `export * from './lane.ts';`,
  `import './lane.ts';`,
  `export const lane = () => import('./lane.ts');`,
])('a circle is found, whatever kind of import closes it: %j', async (text) => {
  const statement = `export type { Statement } from './z-circle.ts';\n`;
  await writeFile(join(copy, 'directory/db/slots.ts'), statement, { flag: 'a' });
  const found = await faultsWith('directory', 'db/z-circle.ts', `${text}\n`);
  await cp(join(sourceOf('directory'), 'db/slots.ts'), join(copy, 'directory/db/slots.ts'));
  expect(found.circles).toEqual([
    expect.stringMatching(/db\/lane\.ts.*db\/slots\.ts.*db\/z-circle\.ts/),
  ]);
  expect(found.wrong).toEqual([]);
});

test.each([
  ['directory', 'db/z.ts', '../audit/read.ts'],
  ['directory', 'audit/z.ts', '../query/filters.ts'],
  ['directory', 'privacy/erasure/z.ts', '../retention/rules.ts'],
  ['directory', 'doctor/z.ts', '../index.ts'],
  ['directory', 'z-settings.ts', './db/errors.ts'],
  ['server', 'http/z.ts', '../access/authenticate.ts'],
  ['server', 'maps/z.ts', '../customers/list.ts'],
  ['server', 'customers/z.ts', '../maps/map-cache.ts'],
  ['server', 'customers/z.ts', '../maps/count/count.ts'],
  ['server', 'maps/shape/z.ts', '../state/news.ts'],
  ['server', 'customers/suggestions/z.ts', '../lookup.ts'],
  ['server', 'access/keys/z.ts', '../../app.ts'],
])('an import in the wrong direction is found: %s/%s → %s', async (name, path, specifier) => {
  const { wrong } = await faultsWith(name, path, `import type {} from '${specifier}';\n`);
  expect(wrong).toEqual([expect.stringContaining(`${path} imports `)]);
});

test.each([
  ['directory', 'query/z.ts', '../db/orders.ts'],
  ['directory', 'privacy/retention/z.ts', '../erasure/erase.ts'],
  ['server', 'customers/z.ts', '../maps/page-maps.ts'],
  ['server', 'access/sessions/z.ts', '../identity-guard.ts'],
])('an import in the right direction is allowed: %s/%s → %s', async (name, path, specifier) => {
  const { wrong } = await faultsWith(name, path, `import type {} from '${specifier}';\n`);
  expect(wrong).toEqual([]);
});

test('a table whose rooms may import each other is refused', () => {
  const rooms = { low: ['high'], high: ['low'] };
  expect(wrongWays(new Map(), { packages: [], rooms })).toEqual([
    'the table has high not below low, which may import it',
  ]);
});
