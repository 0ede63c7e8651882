import type { Customer } from '@clientele/client';
import { useState } from 'react';
import { useAllowed } from '../session/allowed.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useCopy } from '../ui/use-copy.ts';
import { useKeys } from '../ui/use-keys.ts';
import { CompareDialog } from './compare-dialog.tsx';
import { ExportSelection } from './export-selection.tsx';
import { clearSelection } from './selection.ts';

interface Props {
  customers: Customer[];
  /** The rows on screen are the previous ones. */
  isOutdated: boolean;
  /** An open customer keeps its own keys. */
  isCustomerOpen: boolean;
}

/** Below the rows: what can be done with the selected customers. */
export function SelectionBar({ customers, isOutdated, isCustomerOpen }: Props) {
  const { t } = useText();
  const allowed = useAllowed();
  const { copy, messageFor, status } = useCopy();
  const [dialog, setDialog] = useState<'compare' | 'export' | null>(null);
  const pair = customers.length === 2 ? ([customers[0]!, customers[1]!] as const) : undefined;

  const seesEmails = !customers.some(({ hidden }) => hidden?.includes('email'));
  const copyEmails = () => copy('emails', customers.map(({ email }) => email).join('\n'));
  const compare = () => pair && setDialog('compare');
  const close = () => setDialog(null);
  useKeys({
    ...(!isOutdated && !isCustomerOpen && seesEmails && { e: copyEmails }),
    ...(!isOutdated && !isCustomerOpen && { Escape: clearSelection }),
    ...(!isOutdated && pair && { v: compare }),
    ...(!isOutdated && allowed.export && { s: () => setDialog('export') }),
  });

  return (
    <section className="selection" aria-label={t('select.label')} inert={isOutdated}>
      <p aria-hidden="true">{t('select.count', { count: customers.length })}</p>
      <p className="hidden" role="status">
        {status ?? t('select.count', { count: customers.length })}
      </p>
      {seesEmails && (
        <CopyButton
          label={t('select.copyEmails')}
          isLabelled
          shortcut="e"
          message={messageFor('emails')}
          onClick={copyEmails}
        />
      )}
      {allowed.export && (
        <button type="button" className="button" onClick={() => setDialog('export')}>
          <Icon name="export" />
          <span>{t('select.export')}</span>
          <kbd aria-hidden="true">s</kbd>
        </button>
      )}
      <button
        type="button"
        className="button"
        aria-disabled={!pair}
        title={pair ? undefined : t('select.compareWhy')}
        onClick={compare}
      >
        <Icon name="compare" />
        <span>{t('select.compare')}</span>
        <kbd aria-hidden="true">v</kbd>
      </button>
      <button
        type="button"
        className="button bare"
        aria-label={t('select.clear')}
        title={`${t('select.clear')} (Esc)`}
        onClick={clearSelection}
      >
        <Icon name="close" />
      </button>
      {dialog === 'compare' && pair && <CompareDialog pair={pair} onClose={close} />}
      {dialog === 'export' && <ExportSelection customers={customers} onClose={close} />}
    </section>
  );
}
