import { rmSync } from 'node:fs';

/**
 * Removes a file or a folder with personal data when the process exits, also on an error that nobody catches and on a
 * second signal. The function that is returned removes it now.
 */
export function removeAtExit(path: string): () => void {
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return remove;
}
