/**
 * `pnpm quick [BASE]`: format, lint and types, and the tests closest to what changed since BASE (HEAD by default):
 * changed test files, and those that import a changed file or bear its name. Ends in a minute for a change in one
 * package. `pnpm check` runs everything.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { printTable, runSteps, type Step } from './checks/run-steps.ts';

const [base = 'HEAD'] = process.argv.slice(2);
const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

const changed = new Set([
  ...git('diff', '--name-only', base),
  ...git('ls-files', '--others', '--exclude-standard'),
]);
const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);
const sources = [...changed].filter((file) => /\.(ts|tsx|sql)$/.test(file) && !isTest(file));
const tests = git(
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  '*.test.ts',
  '*.test.tsx',
)
  .filter((file) => existsSync(file) && !file.includes('/cluster/'))
  .filter((file) => changed.has(file) || sources.some((source) => isClose(file, source)));

/** Whether a test imports the file, or is named after it: `suggestions-limits.test.ts` after `suggestions.ts`. */
function isClose(test: string, source: string): boolean {
  const name = basename(source).replace(/\.\w+$/, '');
  return (
    (name !== 'index' && basename(test).startsWith(name)) ||
    (packageOf(test) === packageOf(source) &&
      readFileSync(test, 'utf8').includes(`/${basename(source)}'`))
  );
}

function packageOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

// Two versions of PostgreSQL take twice as long, and rarely disagree.
const steps: Step[] = [
  {
    name: 'tests',
    command:
      tests.length > 0
        ? `pnpm exec vitest run --project '!*on PostgreSQL 18' ${tests.map((file) => `'${file}'`).join(' ')}`
        : 'echo "No test is close to what changed."',
  },
  { name: 'types', command: 'pnpm types' },
  { name: 'lint', command: 'pnpm lint' },
  { name: 'format', command: 'pnpm format:check' },
];
if (!printTable(await runSteps(steps, 2))) process.exitCode = 1;
