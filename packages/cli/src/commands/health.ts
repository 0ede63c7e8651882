import http from 'node:http';
import { isIPv6 } from 'node:net';
import { readHttpSettings } from '@clientele/directory';
import { Command } from 'commander';
import { CommandError } from '../explain.ts';
import { retryFor, waitOption, type Wait } from '../wait-option.ts';

/** Longer than the server takes to find out that its database does not respond. */
const timeoutMs = 5_000;

async function health({ wait }: { wait?: Wait }): Promise<void> {
  const url = readinessUrl();
  await retryFor(
    wait,
    () => askWhetherReady(url),
    () => true,
  );
  process.stdout.write('ready\n');
}

/** By the settings of the server on this machine, which may listen on all addresses. */
function readinessUrl(): string {
  const { host, port, adminPort } = readHttpSettings(process.env);
  if (port === 0 && adminPort === undefined) {
    throw new CommandError('PORT must be the port of the server; with 0, it is not known.');
  }
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${isIPv6(local) ? `[${local}]` : local}:${adminPort ?? port}/readyz`;
}

function askWhetherReady(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new CommandError(`No response from ${url}`));
    const request = http.get(url, { agent: false, timeout: timeoutMs }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('error', fail);
      response.on('data', (text: string) => (body += text));
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new CommandError(`Not ready: ${problemCode(body) ?? response.statusCode}`));
      });
    });
    request.on('timeout', () => request.destroy()).on('error', fail);
  });
}

function problemCode(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { code?: string }).code;
  } catch {
    return undefined;
  }
}

export function healthCommand(): Command {
  return new Command('health')
    .description(
      'ask the server on this machine whether it is ready, for health checks of containers',
    )
    .addOption(waitOption('the server to be ready'))
    .addHelpText(
      'after',
      `
Asks /readyz at HOST and PORT, or CLIENTELE_ADMIN_PORT if it is set: set them as for the server.
Exit codes: 0 ready, 1 not ready, with the code of the problem, or no response.`,
    )
    .action(health);
}
