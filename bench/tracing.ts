/**
 * `pnpm bench:tracing`: what tracing costs. `--before` names another checkout, whose service takes part too, and
 * `--all` adds one that samples every request. Last, the profiler says which share of the CPU time of a service that
 * samples 1 % is spent in the code that traces.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuShare } from './cpu-share.ts';
import { startWithCustomers } from './customers-database.ts';
import { readPaths } from './overload/load.ts';
import {
  contestant,
  fewestStarts,
  runOnce,
  sideBySide,
  type Comparison,
  type Contestant,
} from './side-by-side.ts';
import { spread, summarise, type Spread } from './statistics.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    starts: { type: 'string', default: '12' },
    rounds: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '1' },
    before: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
/** The greatest loss of throughput, in per cent: of `off` against an older checkout, and of others against `off`. */
const bars: Record<string, number> = { before: 1, '1 % sampled': 3 };
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

/** A collector that accepts everything. It runs in this process, which is idle during a slice. */
let batches = 0;
const collector = createServer((request, response) => {
  batches += 1;
  request.resume().on('end', () => response.end('{}'));
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

const at = (ratio: number): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER_ARG: String(ratio),
});

const all = [contestant('off', {})];
if (values.before !== undefined) {
  all.push(contestant('before', {}, resolve(values.before, 'packages/cli/src/main.ts')));
}
all.push(contestant('1 % sampled', at(0.01)));
if (values.all) all.push(contestant('all sampled', at(1)));

const database = await startWithCustomers(Number(values.customers), say, { reuse: true });
try {
  const paths = await readPaths(database);
  const comparison = {
    url: database.url,
    paths,
    starts: Number(values.starts),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
  };
  await sideBySide(all, comparison);
  report();
  await profile(comparison);
} finally {
  await database.stop();
  collector.closeAllConnections();
  collector.close();
}

async function profile(comparison: Comparison): Promise<void> {
  const run = (env: Record<string, string>): Promise<void> =>
    runOnce([contestant('profiled', { ...at(0.01), ...env })], comparison);
  const isTracing = (url: string): boolean => /\/tracing\/|lane-spans/.test(url);
  const percent = 100 * (await cpuShare(run, isTracing));
  const bar = bars['1 % sampled']!;
  if (percent > bar) process.exitCode = 1;
  const judged = percent <= bar ? 'holds' : 'does not hold';
  process.stdout.write(
    `Tracing 1 %: ${percent.toFixed(1)} % of the CPU time (bar ${bar} %, ${judged})\n`,
  );
}

function report(): void {
  const [off] = all as [Contestant];
  const failed = all.map((each) => `${each.name} ${each.failed}`).join(', ');
  say(`${batches} batches of spans; failed requests: ${failed}`);
  process.stdout.write(
    '| Tracing | Requests/s | Loss, % | between | More CPU per request, % | between | Bar | |\n| --- | ---: | ---: | --- | ---: | --- | ---: | --- |\n',
  );
  for (const { name, perSecond, cpuMs } of all) {
    const cells = [name, summarise(perSecond).p50.toFixed(0)];
    if (name !== off.name) {
      // The older checkout is what `off` is compared with, and `off` is what others are compared with.
      const older = name === 'before';
      const [ours, others] = older ? [off, { perSecond, cpuMs }] : [{ perSecond, cpuMs }, off];
      const loss = change(ours.perSecond, others.perSecond, -100);
      const cpu = change(ours.cpuMs, others.cpuMs, 100);
      const bar = bars[name];
      cells.push(...shown(loss), ...shown(cpu), bar === undefined ? '' : `≤ ${bar} %`);
      if (bar !== undefined) cells.push(verdict(loss, bar));
    }
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}

/** Of pairs that were measured side by side, so that noise that lasts longer does not count. */
function change(ours: number[], others: number[], factor: number): Spread {
  return spread(ours.map((value, i) => factor * (value / others[i]! - 1)));
}

function shown({ median, least, most }: Spread): string[] {
  return [median.toFixed(1), `${least.toFixed(1)} and ${most.toFixed(1)}`];
}

function verdict({ least, most }: Spread, bar: number): string {
  if (Number(values.starts) < fewestStarts) return 'too few starts to decide';
  if (most <= bar) return 'holds';
  if (least <= bar) return 'too noisy to decide';
  process.exitCode = 1;
  return 'does not hold';
}
