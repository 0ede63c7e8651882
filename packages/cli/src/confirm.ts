import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { CommandError } from './explain.ts';

export interface Question {
  answer?: string;
  purpose?: string;
  /** An abort is a refusal. */
  signal?: AbortSignal | undefined;
}

/** Asks on the terminal, and throws unless the answer is the expected one. */
export async function confirm(question: Question = {}): Promise<void> {
  const { answer = 'yes', purpose = 'to continue', signal } = question;
  if (!process.stdin.isTTY) {
    throw new CommandError(
      'Nothing was changed, because there is no terminal to ask for confirmation. Confirm with --yes.',
    );
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C rejects the question, and Ctrl-D leaves it open.
  const left = once(prompt, 'close').then(() => '\n');
  const text = `Type ${answer} ${purpose}: `;
  const asked = (signal ? prompt.question(text, { signal }) : prompt.question(text)).catch(
    () => '\n',
  );
  const given = await Promise.race([asked, left]);
  prompt.close();
  if (given === '\n') process.stderr.write(given);
  if (given.trim().toLowerCase() !== answer) throw new CommandError('Nothing was changed.');
}
