/** Runs the steps of a check, several at a time, and prints a table of how long each one took. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

export interface Step {
  name: string;
  /** A command line for bash. */
  command: string;
  env?: Record<string, string>;
}

interface Result {
  step: Step;
  passed: boolean;
  seconds: number;
  /** Of the processor, for the command and the processes that it waited for. */
  cpuSeconds: number;
  tests: Tests;
}

interface Tests {
  passed: number;
  failed: number;
  /** The failed tests, each with the first lines of its error. Without any, the end of a failed step's output. */
  failures: string[];
}

/** Where the test runners write their reports; see vitest.config.ts and playwright.config.ts. */
const reports = mkdtempSync(join(tmpdir(), 'clientele-check-'));
process.once('exit', () => rmSync(reports, { recursive: true, force: true }));
const running = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const pid of running) process.kill(-pid, 'SIGTERM');
    process.exit(1);
  });
}

/** Steps start in the given order. All run, also after a failure, whose output is printed when it ends. */
export async function runSteps(steps: Step[], atATime: number): Promise<Result[]> {
  const waiting = [...steps];
  const results: Result[] = [];
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step; step = waiting.shift()) results.push(await run(step));
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return steps.map((step) => results.find((result) => result.step === step)!);
}

async function run(step: Step): Promise<Result> {
  const file = (end: string): string => join(reports, step.name.replaceAll(/\W+/g, '-') + end);
  const log = openSync(file('.log'), 'w');
  const started = performance.now();
  say(`${step.name}: started`);
  // `times` prints two lines, the second one for the children.
  const child = spawn('bash', ['-c', `${step.command}\ncode=$?\ntimes >"$TIMES"\nexit $code`], {
    env: {
      ...process.env,
      ...step.env,
      TIMES: file('.times'),
      TEST_REPORT: file('.vitest.json'),
      E2E_REPORT: file('.e2e.json'),
    },
    stdio: ['ignore', log, log],
    detached: true,
  });
  running.add(child.pid!);
  const [code] = (await once(child, 'exit')) as [number | null];
  running.delete(child.pid!);
  closeSync(log);
  const seconds = (performance.now() - started) / 1000;
  const tests = [
    ...countVitest(file('.vitest.json')),
    ...countPlaywright(file('.e2e.json')),
  ].reduce(
    (sum, each) => ({
      passed: sum.passed + each.passed,
      failed: sum.failed + each.failed,
      failures: [...sum.failures, ...each.failures],
    }),
    { passed: 0, failed: 0, failures: [] },
  );
  const passed = code === 0 && tests.failed === 0;
  const output = readFileSync(file('.log'), 'utf8');
  // What no test has caught, such as an error of a connection, is at the end.
  if (!passed && tests.failed === 0) tests.failures.push(endOf(step, code, output));
  process.stdout.write(`\n── ${step.name} ──\n${output}\n`);
  say(`${step.name}: ${passed ? 'passed' : 'FAILED'} after ${minutes(seconds)}`);
  return { step, passed, seconds, cpuSeconds: readTimes(file('.times')), tests };
}

/** A test file that cannot be loaded contains no failed test, so it counts as one itself. */
function countVitest(path: string): Tests[] {
  if (!existsSync(path)) return [];
  const report = JSON.parse(readFileSync(path, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    testResults: {
      name: string;
      status: string;
      message: string;
      assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
    }[];
  };
  const unloadable = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  return [
    {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloadable.length,
      failures: [
        ...unloadable.map(({ name, message }) => failure(name, '', message)),
        ...report.testResults.flatMap(({ name, assertionResults }) =>
          assertionResults
            .filter(({ status }) => status === 'failed')
            .map((test) => failure(name, test.fullName, test.failureMessages.join('\n'))),
        ),
      ],
    },
  ];
}

function countPlaywright(path: string): Tests[] {
  if (!existsSync(path)) return [];
  const { stats, suites } = JSON.parse(readFileSync(path, 'utf8')) as {
    stats: { expected: number; unexpected: number; flaky: number };
    suites: Suite[];
  };
  const none = stats.expected + stats.unexpected + stats.flaky === 0 ? 1 : 0;
  return [
    {
      passed: stats.expected,
      failed: stats.unexpected + stats.flaky + none,
      failures: suites.flatMap(failuresOf),
    },
  ];
}

/** A part of Playwright's report. */
interface Suite {
  suites?: Suite[];
  specs: {
    ok: boolean;
    title: string;
    file: string;
    tests: { results: { error?: { message?: string } }[] }[];
  }[];
}

function failuresOf({ suites = [], specs }: Suite): string[] {
  const failed = specs.filter(({ ok }) => !ok);
  return [
    ...failed.map(({ file, title, tests }) =>
      failure(
        file,
        title,
        tests.flatMap(({ results }) => results.map(({ error }) => error?.message ?? '')).join('\n'),
      ),
    ),
    ...suites.flatMap(failuresOf),
  ];
}

function failure(file: string, test: string, message: string): string {
  const lines = message
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('node_modules'));
  return [`${relative(process.cwd(), file)} ${test}`, ...lines.slice(0, 8)].join('\n    ');
}

function endOf({ name }: Step, code: number | null, output: string): string {
  const lines = output.trimEnd().split('\n').slice(-60);
  return [`${name}, exit code ${code}, after:`, ...lines].join('\n    ');
}

/** The second line of bash's `times`: user and system time of the children, such as `1m2.345s 0m6.789s`. */
function readTimes(path: string): number {
  const [, children = ''] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, m, s]) => 60 * Number(m) + Number(s),
  );
  return seconds.reduce((sum, each) => sum + each, 0);
}

/** Prints the failed tests, the table, then how many tests passed and failed. Returns whether every step passed. */
export function printTable(results: Result[]): boolean {
  const width = Math.max(...results.map(({ step }) => step.name.length));
  const line = (name: string, ...columns: string[]): string =>
    [name.padEnd(width), ...columns.map((column) => column.padStart(9))].join('  ').trimEnd();
  const lines = results.map(({ step, passed, seconds, cpuSeconds, tests }) =>
    line(
      step.name,
      passed ? 'passed' : 'FAILED',
      minutes(seconds),
      minutes(cpuSeconds),
      tests.passed + tests.failed > 0 ? String(tests.passed + tests.failed) : '',
    ),
  );
  const total = performance.now() / 1000;
  const cpu = results.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const tests = results.reduce((sum, each) => sum + each.tests.passed, 0);
  const failed = results.reduce((sum, each) => sum + each.tests.failed, 0);
  const passed = results.every((result) => result.passed);
  const table = [
    line('', 'result', 'time', 'CPU', 'tests'),
    ...lines,
    line('all', passed ? 'passed' : 'FAILED', minutes(total), minutes(cpu), String(tests + failed)),
  ];
  const failures = results.flatMap((each) => each.tests.failures).map((text) => `FAILED ${text}\n`);
  process.stdout.write(
    ['', ...failures, ...table, '', `${tests} passed, ${failed} failed`, ''].join('\n'),
  );
  return passed;
}

const minutes = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

function say(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
