/** Prepares masking and shows how far it is. */
import { isMaskingReady, prepareMasking } from '@clientele/server';
import type pg from 'pg';
import { createLog } from './log.ts';
import { startProgress } from './progress.ts';

const blockBytes = 8_192;

export async function prepareMaskingWithProgress(client: pg.Client, quiet = false): Promise<void> {
  const log = createLog(quiet);
  if (await isMaskingReady(client)) {
    log('The directory is prepared for callers who may not see contact details.');
    return;
  }
  log('Preparing the directory for callers who may not see contact details. It stays in use.');
  let progress: ReturnType<typeof startProgress> | undefined;
  try {
    await prepareMasking(client, (step, done, of) => {
      if (step === 'fill') {
        const total = of * blockBytes;
        progress ??= startProgress({ label: 'Names and companies', total, unit: 'bytes', quiet });
        progress.update(done * blockBytes);
        return;
      }
      progress?.stop();
      progress = undefined;
      if (step === 'index') log('Building the index. This waits for transactions that are open.');
    });
  } finally {
    progress?.stop();
  }
  log('Prepared. Callers without customers:contact can be served.');
}
