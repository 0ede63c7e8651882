import { isApiError, toCustomerPage, type CustomersService } from '@clientele/client';
import type { Filters } from '../filters.ts';
import type { CsvWriter } from './csv.ts';

export interface ExportProgress {
  done: number;
  total: number;
  /** When the next request is sent, while the server's Retry-After is observed. */
  resumesAt?: number;
}

export interface Exported {
  file: Blob;
  rows: number;
  /** As of the last page. */
  total: number;
  /** During the export: a customer may be missing, even if both numbers are the same. */
  hasChanged: boolean;
}

const perPage = 100;
const maxPauseSeconds = 90;

/** Writes all pages of a search to one file. A customer that moves between pages is written once. */
export async function exportCustomers(
  service: CustomersService,
  options: {
    search: string;
    filters: Filters;
    writer: CsvWriter;
    signal: AbortSignal;
  },
  onProgress: (progress: ExportProgress) => void,
): Promise<Exported> {
  const { search, filters, writer, signal } = options;
  const parts = [writer.start];
  const written = new Set<string>();
  let firstTotal: number | undefined;
  let hasChanged = false;
  for (let page = 1; ; page += 1) {
    const envelope = await retryWhenAsked(
      () => service.list({ page, search, perPage, ...filters, signal }),
      signal,
      (resumesAt) => onProgress({ done: written.size, total: Infinity, resumesAt }),
    );
    const { items, total } = toCustomerPage(envelope);
    // Where one customer leaves, another moves to a page that was read already.
    firstTotal ??= total;
    hasChanged ||= total !== firstTotal;
    for (const customer of items) {
      if (written.has(customer.id)) continue;
      written.add(customer.id);
      parts.push(writer.line(customer));
    }
    onProgress({ done: written.size, total });
    if (items.length < perPage) {
      return {
        file: new Blob(parts, { type: 'text/csv;charset=utf-8' }),
        rows: written.size,
        total,
        hasChanged: hasChanged || written.size !== total,
      };
    }
  }
}

/** Retries after `Retry-After`, up to five times. Other failures are thrown. */
async function retryWhenAsked<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  onWait: (until: number) => void,
): Promise<T> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await ask();
    } catch (error) {
      const seconds = isApiError(error) ? error.retryAfter : undefined;
      if (seconds === undefined || seconds > maxPauseSeconds || pauses >= 5) throw error;
      onWait(Date.now() + seconds * 1000);
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
