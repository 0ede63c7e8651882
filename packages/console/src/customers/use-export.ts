import { isApiError, type CustomersService } from '@clientele/client';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, useState } from 'react';
import type { Filters } from '../filters.ts';
import { endSession } from '../session/use-session.ts';
import { getSettings } from '../settings.ts';
import { useText } from '../text/text.ts';
import { csvName, csvWriter, saveCsv } from './csv.ts';
import { filterNames } from './filter-names.ts';
import { exportCustomers, type Exported, type ExportProgress } from './export-customers.ts';

export type ExportStage =
  | { name: 'ready' }
  | ({ name: 'running' } & ExportProgress)
  | ({ name: 'done' } & Omit<Exported, 'file'>)
  | { name: 'failed'; done: number; error: Error };

/** Its requests say that they belong to an export. */
export const ExportServiceContext = createContext<CustomersService | null>(null);

/** Exports a search to a file. Closing the dialog cancels it. */
export function useExport(search: string, filters: Filters, total: number) {
  const text = useText();
  const service = useContext(ExportServiceContext)!;
  const queryClient = useQueryClient();
  const [stage, setStage] = useState<ExportStage>({ name: 'ready' });
  const running = useRef<AbortController>(undefined);
  const cancel = () => running.current?.abort();
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    let done = 0;
    setStage({ name: 'running', done, total });
    try {
      const writer = csvWriter(getSettings().csvFormat, text);
      const options = { search, filters, writer, signal };
      const { file, ...exported } = await exportCustomers(service, options, (progress) => {
        done = progress.done;
        setStage({
          name: 'running',
          ...progress,
          total: Number.isFinite(progress.total) ? progress.total : total,
        });
      });
      saveCsv(file, csvName([text.t('customers'), search, filterNames(filters, text)]));
      setStage({ name: 'done', ...exported });
    } catch (error) {
      if (isApiError(error) && error.status === 401) endSession(queryClient);
      else if (signal.aborted) setStage({ name: 'ready' });
      else setStage({ name: 'failed', done, error: error as Error });
    }
  };

  return { stage, start: () => void start(), cancel };
}
