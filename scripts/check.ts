/**
 * `pnpm check`: everything that a commit must show, two steps at a time on two cores. Slower checks and those that
 * judge times are in `.ci/nightly`. The last line counts the tests.
 */
import { printTable, runSteps, type Step } from './checks/run-steps.ts';

/** Short steps. If one of them fails, nothing else runs. */
const first: Step[] = [
  { name: 'build', command: 'pnpm build' },
  { name: 'types', command: 'pnpm types' },
  { name: 'lint', command: 'pnpm lint' },
  { name: 'format', command: 'pnpm format:check' },
  { name: 'openapi', command: 'pnpm openapi:check' },
];

/** The longest come first. The tests that wait sleep most of the time, so they run next to others. */
const then: Step[] = [
  { name: 'tests', command: 'pnpm test' },
  { name: 'browser tests', command: 'pnpm e2e' },
  { name: 'tests that wait', command: 'pnpm test:waiting' },
  { name: 'documentation', command: 'pnpm docs:check' },
  { name: 'packages', command: 'pnpm packages:check' },
  { name: 'site', command: 'pnpm docs:site:check' },
];
// Tests of the command line run what ships: the bundle that `build` has made.
const env = { TEST_EXECUTABLE: 'packages/cli/dist/lib/main.js' };

const short = await runSteps(first, 2);
const long = short.every(({ passed }) => passed)
  ? await runSteps(
      then.map((step) => ({ ...step, env })),
      2,
    )
  : [];
if (!printTable([...short, ...long])) process.exitCode = 1;
