/** The linter: rules, and which package may import which (scripts/checks/rooms.ts). */
import { defineConfig } from 'oxlint';
import { exceptions, neverImported, packages } from './scripts/checks/rooms.ts';

/** Another package is imported by its name: its exports are the list. */
const byPath = Object.keys(packages).flatMap((name) => [`**/${name}/src/**`, `**/${name}/test/**`]);

const restricted = (files: string, never: string[]) => ({
  files: [files],
  rules: { 'no-restricted-imports': refuse(never, files) },
});

function refuse(never: string[], files: string) {
  const patterns = [
    { group: byPath, message: 'Import another package by its name: its exports are the list.' },
    ...(never.length > 0
      ? [{ group: never, message: `scripts/checks/rooms.ts says what ${files} may import.` }]
      : []),
  ];
  return ['error', { patterns }] as ['error', { patterns: typeof patterns }];
}

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'node', 'vitest', 'react'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['**/dist/**', '**/node_modules/**'],
  rules: {
    'import/no-cycle': 'error',
    'no-await-in-loop': 'off',
    'no-underscore-dangle': 'off',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: true },
    ],
    'typescript/no-misused-spread': 'off',
    'typescript/no-unsafe-enum-assignment': 'off',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/no-unnecessary-type-parameters': 'off',
    'typescript/restrict-template-expressions': 'off',
    'import/no-named-as-default-member': 'off',
    'import/no-named-as-default': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'no-new': 'off',
    'no-console': 'error',
    'react/react-in-jsx-scope': 'off',
    'vitest/no-conditional-expect': 'off',
    'unicorn/no-useless-spread': 'off',
    'no-shadow': 'off',
    'no-misleading-character-class': 'off',
    'oxc/no-map-spread': 'off',
    'promise/no-callback-in-promise': 'off',
    'unicorn/no-array-fill-with-reference-type': 'off',
    'no-restricted-imports': refuse([], 'this folder'),
  },
  overrides: [
    ...Object.keys(packages).map((name) =>
      restricted(`packages/${name}/src/**`, neverImported(name)),
    ),
    ...exceptions.map(({ files, never }) => restricted(files, never)),
    {
      files: ['packages/{client,console,contract,directory,import,sandbox,server}/src/**'],
      rules: { 'node/no-process-env': 'error' },
    },
    {
      files: ['packages/sandbox/src/testing/**'],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      files: ['packages/*/src/**', 'bench/**', 'scripts/**'],
      rules: {
        'max-lines': ['error', { max: 250 }],
        'max-lines-per-function': ['error', { max: 80 }],
      },
    },
    {
      files: ['packages/console/src/text/messages.ts', 'scripts/*.test.ts'],
      rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' },
    },
  ],
});
