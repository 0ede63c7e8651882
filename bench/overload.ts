/**
 * `pnpm bench:overload`: a greedy key, three times the load that the service can serve, and slow clients. Prints
 * what was measured and whether it holds; --only takes some of `greedy`, `overload`, `slow`.
 */
import { parseArgs } from 'node:util';
import { startWithCustomers } from './customers-database.ts';
import { greedyKey } from './overload/greedy-key.ts';
import { startTarget, type Target } from './overload/load.ts';
import { slowSockets } from './overload/slow-sockets.ts';
import { threeTimes } from './overload/three-times.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '60' },
    only: { type: 'string', default: 'greedy,overload,slow' },
  },
});
const customers = Number(values.customers);
const seconds = Number(values.seconds);
const only = values.only.split(',');
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

const row = (measure: string, value: number, bar: string, holds: boolean, unit = ''): void => {
  if (!holds) process.exitCode = 1;
  const shown = `${value.toFixed(value < 10 ? 2 : 0)}${unit}`;
  const result = holds ? 'holds' : 'does not hold';
  process.stdout.write(`| ${measure} | ${shown} | ${bar} | ${result} |\n`);
};

const database = await startWithCustomers(customers, say, { reuse: true });

/** Each measure gets a service that has not seen the others. */
async function measure(name: string, work: (target: Target) => Promise<object>): Promise<void> {
  if (!only.includes(name)) return;
  const target = await startTarget(database);
  try {
    say(JSON.stringify(await work(target)));
  } finally {
    await target.stop();
  }
}

try {
  process.stdout.write('| Measure | Value | Bar | |\n| --- | ---: | ---: | --- |\n');
  await measure('greedy', async (target) => {
    const seen = await greedyKey(target, database, Math.max(2_000, seconds * 100));
    const { refused, ratio } = seen;
    row('reads refused while another key sends 64 broad searches', refused, '0', refused === 0);
    row('their p99 ÷ quiet', ratio, '≤ 2', ratio <= 2);
    return seen;
  });
  await measure('overload', async (target) => {
    const seen = await threeTimes(target, database, { customers, seconds });
    const { goodput, p99, refusedP99, lookups } = seen;
    row('goodput at three times the peak ÷ at the peak', goodput, '≥ 0.9', goodput >= 0.9);
    row('p99 of accepted requests ÷ at the peak', p99, '≤ 2', p99 <= 2);
    row('p99 of refusals', refusedP99, '≤ 50 ms', refusedP99 <= 50, ' ms');
    row('lookups answered', 100 * lookups, '≥ 99 %', lookups >= 0.99, ' %');
    return seen;
  });
  for (const [kind, most] of [
    ['slow headers', 6_500],
    ['slow readers', 15_000],
  ] as const) {
    await measure('slow', async (target) => {
      const seen = await slowSockets(target, database, kind);
      const { goneMs, ratio, opened } = seen;
      row(`${opened} ${kind} gone after`, goneMs, `≤ ${most} ms`, goneMs <= most, ' ms');
      row('p99 of others ÷ quiet', ratio, '≤ 2', ratio <= 2);
      return seen;
    });
  }
} finally {
  await database.stop();
}
