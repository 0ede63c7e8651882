/** The linter fails on an import of a package or a module that must not be imported, in every package. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packages } from './checks/rooms.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Case {
  folder: string;
  specifier: string;
  allowed: boolean;
}

const names = Object.keys(packages);

/** What the table says, import by import. */
const fromTable = names.flatMap((name): Case[] => {
  const { packages: others, never = [] } = packages[name]!;
  const source = `packages/${name}/src`;
  return [
    ...names
      .filter((other) => other !== name)
      .map((other) => ({
        folder: source,
        specifier: `@clientele/${other}`,
        allowed: others.includes(other),
      })),
    ...never.map((pattern) => ({
      folder: source,
      specifier: pattern.replace('*', 'anything'),
      allowed: false,
    })),
  ];
});

const cases: Case[] = [
  ...fromTable,
  { folder: 'packages/contract/src', specifier: 'typebox', allowed: true },
  { folder: 'packages/client/src', specifier: './wire.ts', allowed: true },
  { folder: 'packages/client/src/react', specifier: 'react', allowed: true },
  { folder: 'packages/client/src/react', specifier: '@tanstack/react-query', allowed: true },
  { folder: 'packages/client/src/react', specifier: '@clientele/contract', allowed: false },
  { folder: 'packages/console/src/search', specifier: '@clientele/client', allowed: false },
  { folder: 'packages/directory/src/db', specifier: 'fastify', allowed: false },
  { folder: 'packages/directory/src/db', specifier: '@clientele/import', allowed: false },
  {
    folder: 'packages/client/test',
    specifier: '../../server/src/settings/config.ts',
    allowed: false,
  },
  { folder: 'packages/client/test', specifier: '@clientele/sandbox/testing', allowed: true },
  { folder: 'bench', specifier: '../packages/server/src/index.ts', allowed: false },
  { folder: 'bench', specifier: '@clientele/sandbox', allowed: true },
];
const fileOf = (at: number): string => `${cases[at]!.folder}/zone-case-${at}.ts`;

let copy: string;
/** Files that the linter rejects for an import. */
let rejected: Set<string>;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'clientele-zones-'));
  for (const file of ['oxlint.config.ts', 'scripts/checks/rooms.ts']) {
    await mkdir(join(copy, dirname(file)), { recursive: true });
    await copyFile(join(root, file), join(copy, file));
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [at, { specifier }] of cases.entries()) {
    await mkdir(join(copy, dirname(fileOf(at))), { recursive: true });
    await writeFile(join(copy, fileOf(at)), `export * as imported from '${specifier}';\n`);
  }
  const oxlint = join(root, 'node_modules/.bin/oxlint');
  const { stdout } = await promisify(execFile)(oxlint, ['--format', 'json'], { cwd: copy }).catch(
    (error: { stdout: string }) => error,
  );
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; filename: string }[];
  };
  const restricted = diagnostics.filter(({ code }) => code.includes('no-restricted-imports'));
  rejected = new Set(restricted.map(({ filename }) => filename));
});
afterAll(() => rm(copy, { recursive: true }));

test.each(cases.map((each, at) => ({ ...each, at })))(
  '$folder may import $specifier: $allowed',
  ({ at, allowed }) => {
    expect(rejected.has(fileOf(at))).toBe(!allowed);
  },
);
