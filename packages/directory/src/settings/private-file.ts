/** Files with personal data: new ones, which only their owner can read. */
import { randomBytes } from 'node:crypto';
import { closeSync, fchmodSync, openSync, rmSync } from 'node:fs';

export interface PrivateFile {
  /** Open for appending. */
  file: number;
  /** Its name until it is renamed. */
  partial: string;
}

/**
 * Creates a file to be renamed to `path`. Its name cannot be guessed, and the file must not exist: no other user can
 * prepare a link or a file that they can read. Only the rename replaces what is at `path`.
 */
export function createPrivateFile(path: string): PrivateFile {
  const partial = `${path}.${randomBytes(8).toString('hex')}.partial`;
  const file = openSync(partial, 'ax', 0o600);
  try {
    // A default access list of the folder could add to the mode.
    fchmodSync(file, 0o600);
  } catch (error) {
    closeSync(file);
    rmSync(partial, { force: true });
    throw error;
  }
  return { file, partial };
}
