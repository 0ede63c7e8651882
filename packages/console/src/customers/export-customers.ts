import { isApiError, toCustomer, type CustomersService } from '@clientele/client';
import { byteOrderMark, csvHead, csvLine } from './csv.ts';

export interface ExportProgress {
  done: number;
  total: number;
  /** Seconds to wait, while the service asks for a pause. */
  waiting?: number;
}

export interface Exported {
  file: Blob;
  rows: number;
  /** Of the last page: it differs from the first one's when the list changed meanwhile. */
  total: number;
}

const perPage = 100;
const longestPause = 90;

/** All pages of a search as one file. A customer that moved between pages is written once. */
export async function exportCustomers(
  service: CustomersService,
  options: { search: string; decimals: number; signal: AbortSignal },
  onProgress: (progress: ExportProgress) => void,
): Promise<Exported> {
  const { search, decimals, signal } = options;
  const parts = [byteOrderMark, csvHead];
  const written = new Set<string>();
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await patiently(
      () => service.list({ page, search, perPage, signal }),
      signal,
      (waiting) => onProgress({ done: written.size, total: Infinity, waiting }),
    );
    for (const wire of data) {
      if (written.has(wire.uuid)) continue;
      written.add(wire.uuid);
      parts.push(csvLine(toCustomer(wire), decimals));
    }
    const { total } = pagination;
    onProgress({ done: written.size, total });
    if (data.length < perPage) {
      return {
        file: new Blob(parts, { type: 'text/csv;charset=utf-8' }),
        rows: written.size,
        total,
      };
    }
  }
}

/** Waits as the service asks; any other failure is the caller's. */
async function patiently<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  onWait: (seconds: number) => void,
): Promise<T> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await ask();
    } catch (error) {
      const seconds = isApiError(error) ? error.retryAfter : undefined;
      if (seconds === undefined || seconds > longestPause || pauses >= 5) throw error;
      onWait(seconds);
      await pause(seconds * 1000, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
