/**
 * `pnpm bench:audit`: what the read audit costs. Last, the profiler says which share of the CPU time of an audited
 * service is spent in the code that records.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSecretFile } from '@clientele/directory';
import { cpuShare } from './cpu-share.ts';
import { startWithCustomers } from './customers-database.ts';
import { readPaths } from './overload/load.ts';
import { contestant, fewestStarts, runOnce, sideBySide } from './side-by-side.ts';
import { median, spread, type Spread } from './statistics.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    starts: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '1' },
  },
});
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

const folder = await mkdtemp(join(tmpdir(), 'clientele-bench-audit-'));
const secret = join(folder, 'secret');
await createSecretFile(secret);
const off = contestant('off', { CLIENTELE_AUDIT: 'off' });
const audited = {
  CLIENTELE_AUDIT: 'on',
  CLIENTELE_AUDIT_SPOOL: join(folder, 'spool'),
  CLIENTELE_SECRET_FILE: secret,
};
const on = contestant('on', audited);
const database = await startWithCustomers(Number(values.customers), say, {
  reuse: true,
  durable: true,
});
try {
  const comparison = {
    url: database.url,
    paths: await readPaths(database),
    starts: Number(values.starts),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
  };
  await sideBySide([off, on], comparison);
  report();
  const run = (env: Record<string, string>): Promise<void> =>
    runOnce([contestant('profiled', { ...audited, ...env })], comparison);
  const share = await cpuShare(run, (url) => url.includes('/audit/'));
  process.stdout.write(`The code that records: ${(100 * share).toFixed(1)} % of the CPU time\n`);
} finally {
  await database.stop();
  await rm(folder, { recursive: true });
}

function report(): void {
  say(`failed requests: off ${off.failed}, on ${on.failed}`);
  for (const { name, perSecond, p50, cpuMs } of [off, on]) {
    say(
      `audit ${name}: ${median(perSecond).toFixed(0)} requests/s, p50 of one connection ` +
        `${median(p50).toFixed(2)} ms, CPU ${median(cpuMs).toFixed(3)} ms per request`,
    );
  }
  process.stdout.write('| | Median | between | Bar | |\n| --- | ---: | --- | ---: | --- |\n');
  // Pairs that were measured side by side.
  const ratio = spread(on.perSecond.map((value, i) => value / off.perSecond[i]!));
  const more = spread(on.p50.map((value, i) => value - off.p50[i]!));
  row('throughput with the audit ÷ without', ratio, '≥ 0.9', {
    holds: ratio.least >= 0.9,
    fails: ratio.most < 0.9,
  });
  row('p50 of one connection with the audit − without, ms', more, '≤ 1', {
    holds: more.most <= 1,
    fails: more.least > 1,
  });
}

function row(
  name: string,
  { median: middle, least, most }: Spread,
  bar: string,
  { holds, fails }: { holds: boolean; fails: boolean },
): void {
  const enough = Number(values.starts) >= fewestStarts;
  if (enough && fails) process.exitCode = 1;
  const verdict = !enough
    ? 'too few starts to decide'
    : holds
      ? 'holds'
      : fails
        ? 'does not hold'
        : 'too noisy to decide';
  const between = `${least.toFixed(3)} and ${most.toFixed(3)}`;
  process.stdout.write(`| ${[name, middle.toFixed(3), between, bar, verdict].join(' | ')} |\n`);
}
