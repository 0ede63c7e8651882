import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const root = join(import.meta.dirname, '../..');

/** Returns what the command wrote. If it fails, the error contains its output. */
export async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  return runWith(process.env, cwd, command, ...args);
}

export async function runWith(
  env: NodeJS.ProcessEnv,
  cwd: string,
  command: string,
  ...args: string[]
): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}
