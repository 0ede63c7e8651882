/** Prepares the directory and shows how far it is. */
import { type ChangeProgress, type Preparation, prepare } from '@clientele/directory';
import type pg from 'pg';
import { createLog } from './log.ts';
import { startProgress, type Progress } from './progress.ts';

interface Sentences {
  purpose: string;
  on: string;
  unfinished: string;
}

export function sentencesFor(name: Preparation): Sentences {
  if (name === 'masking') {
    return {
      purpose: 'masking',
      on: 'Callers who may not see contact details can be served.',
      unfinished:
        'Callers who may not see contact details are refused until masking is prepared again.',
    };
  }
  if (name === 'search-text') {
    return {
      purpose: 'the text that searches read',
      on: 'All customers are found by the present search rules.',
      unfinished: 'Some customers are found by earlier search rules only.',
    };
  }
  const field = name.slice('sort '.length);
  return {
    purpose: `sorting by ${field}`,
    on: `Lists can be sorted by ${field}.`,
    unfinished: `Lists cannot be sorted by ${field} until it is prepared again.`,
  };
}

export async function prepareWithProgress(
  client: pg.ClientBase,
  name: Preparation,
  quiet?: boolean,
): Promise<void> {
  const log = createLog(quiet);
  const { purpose, on } = sentencesFor(name);
  log(`Preparing: ${purpose}. The directory stays in use.`);
  const written = await showProgress((onProgress) => prepare(client, name, { onProgress }), quiet);
  const customers =
    written === 1 ? '1 customer was' : `${written.toLocaleString('en')} customers were`;
  log(`${on} ${customers} updated.`);
}

/** A bar while customers are compared, and a line for what has to wait. */
export async function showProgress<T>(
  work: (onProgress: (progress: ChangeProgress) => void) => Promise<T>,
  quiet?: boolean,
): Promise<T> {
  const log = createLog(quiet);
  let bar: Progress | undefined;
  const stop = (): void => {
    bar?.stop();
    bar = undefined;
  };
  try {
    return await work((progress) => {
      if (progress.step === 'fill') {
        bar ??= startProgress({ label: 'Customers', total: progress.of, unit: 'rows', quiet });
        bar.update(progress.done);
        return;
      }
      stop();
      log(
        progress.step === 'wait'
          ? 'Another preparation is running. This one starts when it ends.'
          : 'Building an index. This waits for transactions that are open.',
      );
    });
  } finally {
    stop();
  }
}
