/**
 * `pnpm drill upgrade` and `pnpm drill restore`: what an operator does on a bad day, with real processes. Each
 * prints what it saw next to its bar; the exit code is 1 if a bar is missed.
 */
import { parseArgs } from 'node:util';
import { Bars } from './bars.ts';
import { drillRestore } from './restore.ts';
import { drillUpgrade } from './upgrade.ts';

const usage = `Usage: pnpm drill upgrade [--customers N]   100,000 by default
       pnpm drill restore [--customers N]   1,000,000 by default
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { customers: { type: 'string' }, help: { type: 'boolean' } },
});
const drills = {
  upgrade: { run: drillUpgrade, customers: 100_000 },
  restore: { run: drillRestore, customers: 1_000_000 },
};
const drill = positionals.length === 1 ? drills[positionals[0] as keyof typeof drills] : undefined;
const customers = Number(values.customers ?? drill?.customers);

if (!drill || values.help || !Number.isInteger(customers) || customers < 5_000) {
  process.stdout.write(`${usage}N is at least 5000.\n`);
  process.exitCode = values.help ? 0 : 2;
} else {
  // So that Ctrl-C stops the servers and removes the folders too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const started = performance.now();
  const bars = new Bars((line) => {
    const seconds = ((performance.now() - started) / 1_000).toFixed(1).padStart(6);
    process.stdout.write(`${seconds} s  ${line}\n`);
  });
  await drill.run(bars, customers);
  process.stdout.write(bars.table());
  process.exitCode = bars.allHold() ? 0 : 1;
}
