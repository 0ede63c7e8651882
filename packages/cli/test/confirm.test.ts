/** What a person sees who is asked to confirm, on a terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const hasTerminal = spawnSync('script', ['--version']).status === 0;
const source = JSON.stringify(new URL('../src/confirm.ts', import.meta.url));
const program = `
  import { confirm } from ${source};
  await confirm().then(() => console.log("confirmed"), (error) => console.log(error.name, error.message));`;

/** Types keys at the prompt, and returns what the terminal showed. */
async function answer(keys: string): Promise<string> {
  const command = `${process.execPath} --input-type=module -e '${program.replaceAll('\n', ' ')}'`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null']);
  let shown = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!shown.includes('continue: ') && (shown + text).includes('continue: ')) {
      terminal.stdin.write(keys);
    }
    shown += text;
  });
  await once(terminal, 'close');
  return shown;
}

test.runIf(hasTerminal).each([
  ['yes', 'yes\r', /\nconfirmed/],
  ['something else', 'y\r', /\nCommandError Nothing was changed\./],
  ['Ctrl-C', '\u0003', /\nCommandError Nothing was changed\./],
  ['Ctrl-D', '\u0004', /\nCommandError Nothing was changed\./],
])('%s at the prompt gets an answer on a line of its own', async (_, keys, expected) => {
  expect(await answer(keys)).toMatch(expected);
});
