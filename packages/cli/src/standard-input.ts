/** Standard input as a file, because an import reads its input twice: to examine it, and to write it. */
import { createWriteStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { removeAtExit } from './remove-at-exit.ts';

export interface SavedInput extends Disposable {
  path: string;
}

/** Only its owner can read the file, and it is removed with the command. */
export async function saveStandardInput(signal?: AbortSignal): Promise<SavedInput> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-import-'));
  const remove = removeAtExit(folder);
  const path = join(folder, 'standard-input');
  try {
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal });
  } catch (error) {
    remove();
    throw error;
  }
  return { path, [Symbol.dispose]: remove };
}
