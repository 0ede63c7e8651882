import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Starts the service in its own process and passes its URL and keys to the tests. Set CLIENTELE_E2E to
 * the line that `node e2e/start-service.ts` prints to use a service that is already running.
 */
export default async function setUp() {
  if (process.env['CLIENTELE_E2E']) return undefined;
  const script = new URL('start-service.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = once(child, 'exit').then(() => {
    throw new Error('The service did not start.');
  });
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), failed])) as [
    string,
  ];
  process.env['CLIENTELE_E2E'] = line;
  return async () => {
    failed.catch(() => undefined);
    const exited = once(child, 'exit');
    child.stdin.end();
    await exited;
  };
}
