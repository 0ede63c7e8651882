/**
 * Which PostgreSQL driver should serve? Measures `pg` and `postgres` under HTTP load on a million
 * customers, then asks each how it behaves when things go wrong: docs/decisions/postgres-driver.md.
 *
 *   pnpm bench:drivers [--rows 1000000] [--rounds 11] [--seconds 5] [--connections 16]
 *
 * `--rounds 0` leaves the load out. Results go to standard output as Markdown, talk to standard error.
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startWithCustomers } from './customers-database.ts';
import { describeBehaviour } from './driver-behaviour.ts';
import { measureDrivers } from './driver-load.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '11' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
  },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const rounds = Number(values.rounds);
const rows = rounds === 0 ? 1_000 : Number(values.rows);
const database = await startWithCustomers(rows, say);
try {
  const load = loadavg().map((average) => average.toFixed(1));
  print(`Node ${process.version}, PostgreSQL ${database.version}, ${rows} customers,`);
  print(`${availableParallelism()} cores, load average before the run ${load.join(' ')}.`);
  if (rounds > 0) {
    const seconds = Number(values.seconds);
    const connections = Number(values.connections);
    print(await measureDrivers(database, { rounds, seconds, connections }, say));
  }
  print(await describeBehaviour(database.url, say));
} finally {
  await database.stop();
}
