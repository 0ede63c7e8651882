/** PostgreSQL's own programs, which take the connection from the environment: a password is no argument. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Environment } from '../setup/executable.ts';

export function libpqEnvironment(url: string): Environment {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    PATH: process.env['PATH'] ?? '',
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: pathname.slice(1),
  };
}

/** Returns what the program wrote to standard output. If it fails, the error contains its messages. */
export async function runProgram(
  command: string,
  args: string[],
  options: { env: Environment; uid?: number; gid?: number; cwd?: string },
): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const [output] = await Promise.all([text(child.stdout), succeeded(command, child)]);
  return output;
}

/** Rejects with its messages if the program fails. */
export async function succeeded(command: string, child: ChildProcess): Promise<void> {
  const messages = text(child.stderr!);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command}: exit code ${code}\n${await messages}`);
}
