/** The secret of the demo's audit, without which searches could not be compared. */
import { join } from 'node:path';
import { createSecret, createSecretFile, readSecretFile, type Secret } from '@clientele/directory';

/** In the folder that is kept, else in memory. */
export async function demoSecret(kept: string | undefined): Promise<Secret> {
  if (kept === undefined) return createSecret();
  const file = join(kept, 'secret');
  await createSecretFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return readSecretFile(file);
}
