/** The linter fails on an import in the wrong direction, in every package and every room. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** For each zone: imports that must fail, and imports that must pass. */
const zones: Record<string, { wrong: string[]; right: string[] }> = {
  'packages/contract/src': {
    wrong: ['@clientele/server', '@clientele/client', 'node:fs'],
    right: ['./schema.ts', 'typebox'],
  },
  'packages/server/src': {
    wrong: ['@clientele/cli', '@clientele/import', '@clientele/sandbox', '@clientele/console'],
    right: ['@clientele/contract', './db/lane.ts', 'node:fs'],
  },
  'packages/server/src/db': {
    wrong: ['../customers/list.ts', '../http/problems.ts', '../keys/store.ts', '../app.ts'],
    right: ['../config.ts', './lane.ts', 'pg'],
  },
  'packages/server/src/keys': {
    wrong: ['../http/problems.ts', '../customers/list.ts', '../sessions/seal.ts', 'fastify'],
    right: ['../db/lane.ts', '../lru-map.ts'],
  },
  'packages/server/src/http': {
    wrong: ['../customers/list.ts', '../sessions/seal.ts', '../operations/health.ts', '../app.ts'],
    right: ['../db/errors.ts', '../keys/key-ring.ts', 'fastify'],
  },
  'packages/server/src/customers': {
    wrong: ['../sessions/seal.ts', '../operations/health.ts', '../doctor/examine.ts', '../app.ts'],
    right: ['../http/problems.ts', '../db/lane.ts', './maps/page-maps.ts'],
  },
  'packages/server/src/customers/maps': {
    wrong: ['../list.ts', '../routes.ts', '../../http/problems.ts', '../../keys/store.ts'],
    right: ['../../db/lane.ts', '../search.ts', './count.ts'],
  },
  'packages/server/src/sessions': {
    wrong: ['../customers/list.ts', '../operations/health.ts', '../people/provider.ts'],
    right: ['../keys/key-ring.ts', '../http/problems.ts', '../db/lane.ts'],
  },
  'packages/server/src/people': {
    wrong: ['../customers/list.ts', '../operations/health.ts', '../doctor/examine.ts'],
    right: ['../sessions/sessions.ts', '../http/problems.ts', '../access-settings.ts'],
  },
  'packages/server/src/operations': {
    wrong: ['../customers/list.ts', '../sessions/seal.ts', '../start.ts'],
    right: ['../http/problems.ts', '../db/database.ts'],
  },
  'packages/server/src/doctor': {
    wrong: ['../customers/list.ts', '../http/problems.ts', '../operations/health.ts', 'fastify'],
    right: ['../db/fitness.ts'],
  },
  'packages/server/src/tracing': {
    wrong: ['../customers/list.ts', '../http/logging.ts', '../keys/store.ts', '../app.ts'],
    right: ['../config.ts', '../db/errors.ts', './trace.ts'],
  },
  'packages/import/src': {
    wrong: ['@clientele/cli', '@clientele/sandbox', 'commander', 'node:readline/promises'],
    right: ['@clientele/contract', '@clientele/server', 'pg'],
  },
  'packages/sandbox/src': {
    wrong: ['@clientele/cli', '@clientele/import', '@clientele/client', 'commander'],
    right: ['@clientele/contract', '@clientele/server', 'pg'],
  },
  'packages/cli/src': {
    wrong: ['@clientele/client', '@clientele/console', '@clientele/sandbox/testing'],
    right: ['@clientele/import', '@clientele/sandbox', '@clientele/server', 'commander'],
  },
  'packages/client/src': {
    wrong: ['@clientele/server', '@clientele/sandbox', '@clientele/contract', 'react', 'node:fs'],
    right: ['./wire.ts'],
  },
  'packages/client/src/react': {
    wrong: ['@clientele/contract', 'node:fs'],
    right: ['react', '@tanstack/react-query', '../service.ts'],
  },
  'packages/console/src': {
    wrong: ['@clientele/server', '@clientele/import', '@clientele/sandbox', 'node:fs'],
    right: ['@clientele/client', '@clientele/client/react', 'react'],
  },
  'packages/console/src/ui': {
    wrong: ['../customers/pager.tsx', '../session/session.ts', '../search/fold.ts'],
    right: ['../text/text.ts', 'react'],
  },
  'packages/console/src/search': {
    wrong: ['../customers/pager.tsx', '../ui/icon.tsx', '@clientele/client'],
    right: ['./fold.ts'],
  },
  'packages/console/src/text': {
    wrong: ['../customers/pager.tsx', '../ui/icon.tsx', '../session/session.ts'],
    right: ['../settings.ts'],
  },
  'packages/console/src/session': {
    wrong: ['../customers/pager.tsx', '../search/fold.ts'],
    right: ['../ui/icon.tsx', '../text/text.ts', '@clientele/client'],
  },
  'packages/client/test': {
    wrong: ['../../server/src/config.ts', '../../sandbox/src/index.ts'],
    right: ['@clientele/sandbox/testing', '../src/service.ts'],
  },
  bench: {
    wrong: ['../packages/server/src/index.ts', '../packages/cli/src/program.ts'],
    right: ['@clientele/sandbox'],
  },
};

const cases = Object.entries(zones).flatMap(([folder, { wrong, right }]) => [
  ...wrong.map((specifier) => ({ folder, specifier, allowed: false })),
  ...right.map((specifier) => ({ folder, specifier, allowed: true })),
]);
const fileOf = (at: number): string => `${cases[at]!.folder}/zone-case-${at}.ts`;

let copy: string;
/** Files that the linter rejects for an import. */
let rejected: Set<string>;
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'clientele-zones-'));
  await copyFile(join(root, '.oxlintrc.json'), join(copy, '.oxlintrc.json'));
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
