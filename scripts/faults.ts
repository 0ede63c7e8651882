/**
 * The faults that take too long for `pnpm test`, on a cluster of three nodes. What was seen is printed as lines of
 * JSON; docs/reliability.md records it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';

const usage = `Usage: pnpm faults OPTIONS
  --all               every fault once, with the times that follow
  --only NAME         one file: nodes, lag, all-down, leader-frozen or random-mix
  --minutes N         random faults for N minutes (random-mix; 2 by default)
  --seed N            the order of the random faults; printed if it is not given
  --freezes N         freeze the leader N times (leader-frozen; 1 by default)
  --idle-minutes N    leave the primary idle for N minutes (lag; 1 by default)
`;

const { values } = parseArgs({
  options: {
    all: { type: 'boolean' },
    only: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    freezes: { type: 'string' },
    'idle-minutes': { type: 'string' },
    help: { type: 'boolean' },
  },
});

/** The files that the options ask for. All of them: an empty list. */
function chosen(): string[] | undefined {
  if (values.help) return undefined;
  if (values.all) return [];
  if (values.only !== undefined) return [values.only];
  const files = [
    ...(values.minutes !== undefined || values.seed !== undefined ? ['random-mix'] : []),
    ...(values.freezes === undefined ? [] : ['leader-frozen']),
    ...(values['idle-minutes'] === undefined ? [] : ['lag']),
  ];
  return files.length > 0 ? files : undefined;
}

const files = chosen();
if (files) {
  const given = Object.entries({
    FAULT_MINUTES: values.minutes,
    FAULT_SEED: values.seed,
    FAULT_FREEZES: values.freezes,
    FAULT_IDLE_MINUTES: values['idle-minutes'],
  }).filter(([, value]) => value !== undefined);
  const paths = files.map((name) => `packages/cli/test/cluster/faults/${name}.test.ts`);
  const vitest = spawn('pnpm', ['exec', 'vitest', 'run', '--project', 'faults', ...paths], {
    env: { ...process.env, FAULTS: 'on', STRICT_TIMES: '1', ...Object.fromEntries(given) },
    stdio: 'inherit',
  });
  const [code] = (await once(vitest, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} else {
  process.stdout.write(usage);
  process.exitCode = values.help ? 0 : 2;
}
