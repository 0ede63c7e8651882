import { useCustomersService } from '@clientele/client/react';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { explain } from '../ui/explain.ts';
import { exportCustomers, type ExportProgress } from './export-customers.ts';

interface Props {
  search: string;
  /** As the list says it. */
  total: number;
  onClose: () => void;
}

type Stage =
  | { name: 'ready' }
  | ({ name: 'running' } & ExportProgress)
  | { name: 'done'; rows: number; total: number }
  | { name: 'failed'; done: number; error: Error };

export function ExportDialog({ search, total, onClose }: Props) {
  const { t, currency } = useText();
  const service = useCustomersService();
  const [stage, setStage] = useState<Stage>({ name: 'ready' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    let done = 0;
    setStage({ name: 'running', done: 0, total });
    const { signal } = controller;
    const decimals = decimalsOf(currency);
    try {
      const exported = await exportCustomers(service, { search, decimals, signal }, (progress) => {
        done = progress.done;
        setStage({
          name: 'running',
          ...progress,
          total: Number.isFinite(progress.total) ? progress.total : total,
        });
      });
      save(exported.file);
      setStage({ name: 'done', rows: exported.rows, total: exported.total });
    } catch (error) {
      if (signal.aborted) setStage({ name: 'ready' });
      else setStage({ name: 'failed', done, error: error as Error });
    }
  };

  return (
    <Dialog title={t('export.title')} onClose={onClose}>
      {stage.name === 'ready' && (
        <>
          <p className="lead">
            {search === ''
              ? t('export.all', { count: total })
              : t('export.matching', { count: total, search })}
          </p>
          <p className="hint">{t('export.how')}</p>
          <div className="actions">
            <button type="button" className="button primary" onClick={() => void start()}>
              {t('export.start')}
            </button>
          </div>
        </>
      )}
      {stage.name === 'running' && (
        <>
          <p className="lead" role="status">
            {t('export.progress', { done: stage.done, total: stage.total })}
          </p>
          <progress aria-label={t('export.title')} value={stage.done} max={stage.total || 1} />
          <p className="hint">
            {stage.waiting !== undefined && t('export.waiting', { seconds: stage.waiting })}
          </p>
          <div className="actions">
            <button type="button" className="button" onClick={() => running.current?.abort()}>
              {t('export.cancel')}
            </button>
          </div>
        </>
      )}
      {stage.name === 'done' && (
        <>
          <p className="lead" role="status">
            {t('export.done', { count: stage.rows })}
          </p>
          {stage.rows !== stage.total && (
            <p className="hint">{t('export.changed', { total: stage.total })}</p>
          )}
          <form method="dialog" className="actions">
            <button type="submit" className="button primary">
              {t('customer.close')}
            </button>
          </form>
        </>
      )}
      {stage.name === 'failed' && (
        <>
          <p className="lead" role="alert">
            {t('export.failed', { done: stage.done, total })}
          </p>
          <p className="hint">{explain(stage.error, t).text}</p>
          <div className="actions">
            <button type="button" className="button primary" onClick={() => void start()}>
              {t('export.again')}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

const decimalsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits ?? 2;

function save(file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `customers-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  // Not at once: the browser reads the address after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
