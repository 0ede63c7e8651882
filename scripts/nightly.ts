/**
 * `.ci/nightly [STEP…]`: what takes too long for every commit, and what judges times, on a machine that does nothing
 * else. Every step runs, also after a failure. Whoever wants more than the sizes here sets their variables, such as
 * `FUZZ_CHECKS=100000 .ci/nightly exactness`.
 */
import { printTable, runSteps, type Step } from './checks/run-steps.ts';

const sizes = {
  AUDIT_KILLS: '500',
  AUDIT_REQUESTS: '5000',
  EXACTNESS_CHECKS: '5000',
  FUZZ_CHECKS: '20000',
  IDENTITY_HISTORIES: '5000',
  IMPORT_HISTORIES: '2000',
  IMPORT_KILLS: '20',
  IMPORT_RUNS: '1000',
  MEMORY_REQUESTS: '50000',
  POOLER_REQUESTS: '5000',
  RAW_ROUND_TRIPS: '1000',
  ROWS_FIRST_FAULTS: '1000',
  TAMPERINGS: '1000',
};

const vitest = (project: string, ...files: string[]): string =>
  ['pnpm exec vitest run --project', `'${project}'`, ...files].join(' ');
const server = 'server on PostgreSQL 15';
/** Tests of the command line run what ships. */
const bundled = 'TEST_EXECUTABLE=packages/cli/dist/lib/main.js';

/** `pnpm check` runs two steps at a time itself. The other steps use what `build` has made. */
const first: Step[] = [
  { name: 'check', command: 'pnpm check' },
  { name: 'build', command: 'pnpm build' },
];

/** What judges no times and changes neither the build nor the machine, two at a time, the longest first. */
const together: Step[] = [
  { name: 'histories', command: vitest('import') },
  { name: 'version-18', command: `NIGHTLY=1 ${vitest('*on PostgreSQL 18')}` },
  { name: 'kills', command: `${bundled} ${vitest('cli', 'kill.test')}` },
  { name: 'exactness', command: `FUZZ_MUTATIONS=1 ${vitest(server, 'test/exactness')}` },
  { name: 'rows-first', command: vitest(server, 'rows-first-faults') },
  { name: 'memory', command: `${bundled} ${vitest('cli', 'memory-of-server')}` },
  { name: 'attacks', command: vitest(server, 'audit-tampering', 'pooler') },
  { name: 'console-modes', command: 'NIGHTLY=1 pnpm e2e modes' },
  { name: 'recipe', command: 'pnpm recipe' },
  { name: 'upgrade', command: 'pnpm drill upgrade' },
  { name: 'restore', command: 'pnpm drill restore' },
];

const alone: Step[] = [
  {
    name: 'times',
    command: 'pnpm test:times && STRICT_TIMES=1 pnpm --filter @clientele/cli pack:check',
  },
  { name: 'console-times', command: 'STRICT_TIMES=1 pnpm e2e guarantees' },
  { name: 'bench', command: 'pnpm bench:check' },
  {
    name: 'bench-million',
    command: 'pnpm bench --customers 1000000 --only acko --judge acko --dry-run',
  },
  { name: 'faults', command: 'pnpm faults --all' },
  { name: 'next', command: 'NIGHTLY=1 pnpm --filter @clientele/client pack:check' },
  { name: 'monitoring', command: 'pnpm monitoring:check' },
  { name: 'proxies', command: 'pnpm proxies:check' },
  { name: 'image', command: 'pnpm image && pnpm image:check' },
  { name: 'deploy', command: 'pnpm deploy:check' },
  { name: 'release', command: 'pnpm release build' },
];

const steps = [...first, ...together, ...alone];
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !steps.some((step) => step.name === name));
if (unknown === undefined) {
  const isChosen = ({ name }: Step): boolean =>
    wanted.length === 0 || wanted.includes(name) || name === 'build';
  const run = (some: Step[], atATime: number, env = {}) =>
    runSteps(
      some.filter(isChosen).map((step) => ({ ...step, env })),
      atATime,
    );
  const done = [
    ...(await run(first, 1)),
    ...(await run(together, 2, { ...sizes, ...process.env })),
    ...(await run(alone, 1)),
  ];
  if (!printTable(done)) process.exitCode = 1;
} else {
  const names = steps.map(({ name }) => name).join(', ');
  process.stderr.write(`There is no step ${unknown}. The steps are: ${names}\n`);
  process.exitCode = 2;
}
