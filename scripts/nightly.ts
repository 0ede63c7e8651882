/**
 * `.ci/nightly [STEP…]`: what takes too long for every commit, and what judges times, one step after the other on a
 * machine that does nothing else. Every step runs, also after a failure.
 */
import { printTable, runSteps, type Step } from './checks/run-steps.ts';

const files = (...names: string[]): string => names.map((name) => `test/${name}.test.ts`).join(' ');
const bundle = 'TEST_EXECUTABLE=packages/cli/dist/lib/main.js';

const steps: Step[] = [
  { name: 'check', command: 'pnpm check' },
  {
    name: 'times',
    command: 'pnpm test:times && STRICT_TIMES=1 pnpm --filter @clientele/cli pack:check',
  },
  { name: 'console-times', command: 'STRICT_TIMES=1 pnpm e2e guarantees' },
  { name: 'console-modes', command: 'NIGHTLY=1 pnpm e2e modes' },
  { name: 'next', command: 'NIGHTLY=1 pnpm --filter @clientele/client pack:check' },
  {
    name: 'exactness',
    command: `EXACTNESS_CHECKS=5000 FUZZ_CHECKS=20000 FUZZ_MUTATIONS=1 pnpm exec vitest run --project 'server on PostgreSQL 15' test/exactness`,
  },
  // All tests of what may differ between the versions.
  {
    name: 'version-18',
    command: `NIGHTLY=1 EXACTNESS_CHECKS=5000 FUZZ_CHECKS=20000 pnpm exec vitest run --project '*on PostgreSQL 18'`,
  },
  {
    name: 'rows-first',
    command: `ROWS_FIRST_FAULTS=1000 pnpm exec vitest run --project 'server on PostgreSQL 15' ${files('rows-first-faults')}`,
  },
  {
    name: 'kills',
    command: `${bundle} IMPORT_KILLS=20 AUDIT_REQUESTS=5000 AUDIT_KILLS=500 pnpm exec vitest run --project cli ${files('import-kill', 'import-sync-kill', 'audit-kill')}`,
  },
  {
    name: 'attacks',
    command: `TAMPERINGS=1000 POOLER_REQUESTS=5000 pnpm exec vitest run --project 'server on PostgreSQL 15' ${files('audit-tampering', 'pooler')}`,
  },
  {
    name: 'memory',
    command: `${bundle} MEMORY_REQUESTS=50000 pnpm exec vitest run --project cli ${files('memory-of-server')}`,
  },
  {
    name: 'histories',
    command: `IMPORT_HISTORIES=2000 IMPORT_RUNS=1000 IDENTITY_HISTORIES=5000 RAW_ROUND_TRIPS=1000 pnpm exec vitest run --project import`,
  },
  { name: 'recipe', command: 'pnpm recipe' },
  { name: 'bench', command: 'pnpm bench:check' },
  {
    name: 'bench-million',
    command: 'pnpm bench --customers 1000000 --only acko --judge acko --dry-run',
  },
  { name: 'upgrade', command: 'pnpm drill upgrade' },
  { name: 'restore', command: 'pnpm drill restore' },
  { name: 'faults', command: 'pnpm faults --all' },
  { name: 'monitoring', command: 'pnpm monitoring:check' },
  { name: 'proxies', command: 'pnpm proxies:check' },
  { name: 'image', command: 'pnpm image && pnpm image:check' },
  { name: 'deploy', command: 'pnpm deploy:check' },
  { name: 'release', command: 'pnpm release build' },
];

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !steps.some((step) => step.name === name));
if (unknown === undefined) {
  const chosen = steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  if (!printTable(await runSteps(chosen, 1))) process.exitCode = 1;
} else {
  const names = steps.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no step ${unknown}. The steps are: ${names}\n`);
  process.exitCode = 2;
}
