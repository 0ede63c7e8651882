/**
 * `pnpm bench:keystrokes [--customers 10000000]`: how long the rows of a keystroke take in Chromium, by the test of the
 * console that judges it. The service starts without warm-up, so that nobody has searched for what they type.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startWithCustomers } from './customers-database.ts';
import { list } from './list-requests.ts';
import { startService } from './service.ts';

const { values } = parseArgs({ options: { customers: { type: 'string', default: '10000000' } } });
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

/** Runs a command in the console's package. */
async function inConsole(command: string[], env: Record<string, string> = {}): Promise<void> {
  const child = spawn('pnpm', ['--filter', '@clientele/console', ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) process.exitCode = 1;
}

// The service looks for the console's files when it starts.
await inConsole(['build']);
const database = await startWithCustomers(Number(values.customers), say, {
  reuse: true,
  durable: true,
});
try {
  const service = await startService(database.url, {
    // Every test signs in from an address of its own.
    CLIENTELE_TRUSTED_PROXIES: '127.0.0.1',
    CLIENTELE_WARM_UP: 'off',
  });
  try {
    await service.getWithRetries(list);
    const key = service.headers['authorization']!.replace('Bearer ', '');
    const command = [
      'exec',
      'playwright',
      'test',
      '--project=e2e',
      'guarantees',
      '--grep',
      'each of a hundred keystrokes',
    ];
    await inConsole(command, {
      STRICT_TIMES: '1',
      CLIENTELE_E2E: JSON.stringify({ url: service.origin, key }),
    });
  } finally {
    await service.stop();
  }
} finally {
  await database.stop();
}
