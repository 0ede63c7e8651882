import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandError } from './explain.ts';

/** Asks on the terminal, and throws unless the answer is the expected one. */
export async function confirm(answer = 'yes', purpose = 'to continue'): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new CommandError(
      'Nothing was changed, because there is no terminal to ask for confirmation. Confirm with --yes.',
    );
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C rejects the question, and Ctrl-D leaves it open.
  const left = once(prompt, 'close').then(() => '\n');
  const asked = prompt.question(`Type ${answer} ${purpose}: `).catch(() => '\n');
  const given = await Promise.race([asked, left]);
  prompt.close();
  if (given === '\n') process.stderr.write(given);
  if (given.trim().toLowerCase() !== answer) throw new CommandError('Nothing was changed.');
}
