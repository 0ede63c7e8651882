/** Checks the files of a command before it writes anything. */
import { access, constants, stat } from 'node:fs/promises';
import { ImportError } from './import-error.ts';
import { explainReadError } from './source.ts';

/** Throws unless the file can be read from any position, as resuming requires. */
export async function checkInput(path: string, command: 'import' | 'sync'): Promise<void> {
  if (path === '-') return;
  try {
    const found = await stat(path);
    if (!found.isFile() && !found.isDirectory()) {
      throw new ImportError(
        `${path} is a pipe or a device. Read it as standard input: clientele ${command} - < ${path}`,
      );
    }
    if (found.isDirectory()) throw Object.assign(new Error(path), { code: 'EISDIR' });
    await access(path, constants.R_OK);
  } catch (error) {
    throw explainReadError(error, path);
  }
}

/** Throws if a file for rejected records is one of the inputs. */
export async function checkRejectPaths(rejects: string[], inputs: string[]): Promise<void> {
  for (const reject of rejects) {
    for (const input of inputs) {
      if (await isSameFile(reject, input)) {
        throw new ImportError(
          `Rejected records would overwrite the input ${input}. Choose another file with --rejects.`,
        );
      }
    }
  }
}

/** By device and inode, so links are found too. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, two] = await Promise.all([a, b].map((path) => stat(path).catch(() => undefined)));
  return one !== undefined && two?.isFile() === true && one.dev === two.dev && one.ino === two.ino;
}
