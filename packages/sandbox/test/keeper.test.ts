/** Whatever a test starts for a cluster ends with it, even when the test is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { startKeeper } from '../src/testing/cluster/keeper.ts';

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A process with the folder in its arguments, which runs until it is killed. */
const waiting = (folder: string): string[] => ['--eval', 'setInterval(() => {}, 1000)', folder];

test.runIf(process.platform === 'linux')(
  'disposing of the keeper ends its processes and removes the folder',
  async () => {
    const keeper = await startKeeper();
    const kept = await keeper.start('waiting', process.execPath, waiting(keeper.folder));
    await keeper[Symbol.asyncDispose]();
    await kept.ended;
    expect(existsSync(keeper.folder)).toBe(false);
  },
);

test.runIf(process.platform === 'linux')(
  'SIGKILL of the owner ends its processes and removes the folder',
  async () => {
    const source = new URL('../src/testing/cluster/keeper.ts', import.meta.url).href;
    const program = `
      import { startKeeper } from '${source}';
      const keeper = await startKeeper();
      const { pid } = await keeper.start('waiting', process.execPath, ${JSON.stringify(waiting(''))}
        .map((arg) => arg || keeper.folder));
      console.log(JSON.stringify({ pid, folder: keeper.folder }));
      setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string];
    const { pid, folder } = JSON.parse(line) as { pid: number; folder: string };
    expect([isRunning(pid), existsSync(folder)]).toEqual([true, true]);
    owner.kill('SIGKILL');
    await vi.waitFor(() => {
      expect([isRunning(pid), existsSync(folder)]).toEqual([false, false]);
    }, 300_000);
  },
);
