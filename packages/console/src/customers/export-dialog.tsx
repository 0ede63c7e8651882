import { hasFilters, type Filters } from '../filters.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { explain } from '../ui/explain.ts';
import { useCountdown } from '../ui/use-countdown.ts';
import { CsvFormatChoice } from './csv-format-choice.tsx';
import { filterNames } from './filter-names.ts';
import { useExport } from './use-export.ts';

export interface ExportRequest {
  search: string;
  filters: Filters;
  /** The total shown above the list. */
  total: number;
}

interface Props extends ExportRequest {
  onClose: () => void;
}

export function ExportDialog({ search, filters, total, onClose }: Props) {
  const text = useText();
  const { t } = text;
  const { stage, start, cancel } = useExport(search, filters, total);
  const seconds = useCountdown(stage.name === 'running' ? (stage.resumesAt ?? 0) : 0);
  return (
    <Dialog title={t('export.title')} onClose={onClose}>
      {stage.name === 'ready' && (
        <>
          <p className="lead">
            {search === ''
              ? t(hasFilters(filters) ? 'export.filtered' : 'export.all', { count: total })
              : t('export.matching', { count: total, search })}
          </p>
          {hasFilters(filters) && (
            <p className="hint">{t('filter.are', { filters: filterNames(filters, text) })}</p>
          )}
          <CsvFormatChoice />
          <div className="actions">
            <button type="button" className="button primary" onClick={start}>
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
          <p className="hint">{seconds > 0 && t('export.waiting', { seconds })}</p>
          <div className="actions">
            <button type="button" className="button" onClick={cancel}>
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
          {stage.hasChanged && (
            <p className="hint">{t('export.changed', { count: stage.total })}</p>
          )}
          <form method="dialog" className="actions">
            <button type="submit" className="button primary">
              {t('close')}
            </button>
          </form>
        </>
      )}
      {stage.name === 'failed' && (
        <>
          <p className="lead" role="alert">
            {t('export.failed', { done: stage.done, total })}
          </p>
          <p className="hint">{explain(stage.error, text).text}</p>
          <div className="actions">
            <button type="button" className="button primary" onClick={start}>
              {t('problem.retry')}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
