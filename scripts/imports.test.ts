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
  await cp(sourceOf('server'), copy, { recursive: true });
});
afterAll(() => rm(copy, { recursive: true }));

const faults = (folder: string, name: string): { circles: string[]; wrong: string[] } => {
  const imports = readImports(folder);
  return { circles: circles(imports), wrong: wrongWays(imports, packages[name]!) };
};

/** What the check finds in the server once a file is added. */
async function faultsWith(path: string, text: string) {
  await writeFile(join(copy, path), text);
  try {
    return faults(copy, 'server');
  } finally {
    await rm(join(copy, path));
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
  await writeFile(join(copy, 'db/slots.ts'), statement, { flag: 'a' });
  const found = await faultsWith('db/z-circle.ts', `${text}\n`);
  await cp(join(sourceOf('server'), 'db/slots.ts'), join(copy, 'db/slots.ts'));
  expect(found.circles).toEqual([
    expect.stringMatching(/db\/lane\.ts.*db\/slots\.ts.*db\/z-circle\.ts/),
  ]);
  expect(found.wrong).toEqual([]);
});

test.each([
  ['db/z.ts', '../customers/list.ts'],
  ['db/z.ts', '../http/problems.ts'],
  ['audit/z.ts', '../customers/filters.ts'],
  ['customers/maps/z.ts', '../list.ts'],
  ['customers/maps/z.ts', '../suggestions/known-words.ts'],
  ['customers/suggestions/z.ts', '../lookup.ts'],
  ['keys/z.ts', '../app.ts'],
  ['z-settings.ts', './db/errors.ts'],
])('an import in the wrong direction is found: %s → %s', async (path, specifier) => {
  const { wrong } = await faultsWith(path, `import type {} from '${specifier}';\n`);
  expect(wrong).toEqual([expect.stringContaining(`${path} imports `)]);
});

test.each([
  ['customers/maps/z.ts', '../search.ts'],
  ['customers/maps/z.ts', '../../config.ts'],
  ['customers/z.ts', './maps/page-maps.ts'],
  ['erasure/z.ts', '../audit/shown.ts'],
])('an import in the right direction is allowed: %s → %s', async (path, specifier) => {
  expect((await faultsWith(path, `import type {} from '${specifier}';\n`)).wrong).toEqual([]);
});

test('a table whose rooms may import each other is refused', () => {
  const rooms = { low: ['high'], high: ['low'] };
  expect(wrongWays(new Map(), { packages: [], rooms })).toEqual([
    'the table has high not below low, which may import it',
  ]);
});
