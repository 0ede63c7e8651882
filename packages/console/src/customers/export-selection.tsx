import type { Customer } from '@clientele/client';
import { useState } from 'react';
import { getSettings } from '../settings.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { csvName, csvWriter, saveCsv } from './csv.ts';
import { CsvFormatChoice } from './csv-format-choice.tsx';

interface Props {
  customers: Customer[];
  onClose: () => void;
}

/** The selected customers are in memory: nothing is requested. */
export function ExportSelection({ customers, onClose }: Props) {
  const text = useText();
  const { t } = text;
  const [isDone, setIsDone] = useState(false);
  const start = () => {
    const { start: head, line } = csvWriter(getSettings().csvFormat, text);
    const name = csvName([t('customers'), t('select.label')]);
    saveCsv(new Blob([head, ...customers.map(line)], { type: 'text/csv;charset=utf-8' }), name);
    setIsDone(true);
  };
  return (
    <Dialog title={t('export.title')} onClose={onClose}>
      <p className="lead" role="status">
        {t(isDone ? 'export.done' : 'export.selected', { count: customers.length })}
      </p>
      {!isDone && customers.some(({ hidden }) => hidden) && (
        <p className="hint">{t('value.hiddenWhy')}</p>
      )}
      {!isDone && <CsvFormatChoice />}
      <form method="dialog" className="actions">
        {isDone ? (
          <button type="submit" className="button primary">
            {t('close')}
          </button>
        ) : (
          <button type="button" className="button primary" onClick={start}>
            {t('export.start')}
          </button>
        )}
      </form>
    </Dialog>
  );
}
