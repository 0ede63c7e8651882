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
  const given = await prompt.question(`Type ${answer} ${purpose}: `);
  prompt.close();
  if (given.trim().toLowerCase() !== answer) throw new CommandError('Nothing was changed.');
}
