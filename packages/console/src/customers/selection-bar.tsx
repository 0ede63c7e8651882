import type { Customer } from '@clientele/client';
import { useRef, useState } from 'react';
import { useAllowed } from '../session/allowed.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useCopy } from '../ui/use-copy.ts';
import { useKeys } from '../ui/use-keys.ts';
import { CompareDialog, mostCompared } from './compare-dialog.tsx';
import { ExportSelection } from './export-selection.tsx';
import { focusCurrentRow } from './row-focus.ts';
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
  const { copy, refuse, messageFor, status } = useCopy();
  const [dialog, setDialog] = useState<'compare' | 'export' | null>(null);
  const canCompare = customers.length >= 2 && customers.length <= mostCompared;

  const seesEmails = !customers.some(({ hidden }) => hidden?.includes('email'));
  const copyEmails = () => copy('emails', customers.map(({ email }) => email).join('\n'));
  const compare = () => setDialog('compare');
  const refuseCompare = () => refuse('compare', t('select.compareWhy'));
  const close = () => setDialog(null);
  const bar = useRef<HTMLElement>(null);
  const clear = () => {
    if (bar.current?.contains(document.activeElement)) focusCurrentRow();
    clearSelection();
  };
  useKeys({
    ...(!isOutdated && !isCustomerOpen && seesEmails && { e: copyEmails }),
    ...(!isOutdated && !isCustomerOpen && { Escape: clear }),
    ...(!isOutdated && canCompare && { v: compare }),
    ...(!isOutdated && allowed.export && { s: () => setDialog('export') }),
  });

  useKeys(
    {
      ...(!isOutdated &&
        !isCustomerOpen &&
        !seesEmails && { e: () => refuse('emails', t('copy.hidden')) }),
      ...(!isOutdated && !canCompare && { v: refuseCompare }),
    },
    { areCommands: false },
  );
  const message = messageFor('emails') ?? messageFor('compare');

  return (
    <section ref={bar} className="selection" aria-label={t('select.label')} inert={isOutdated}>
      <p aria-hidden="true">
        {t('select.count', { count: customers.length })}
        {message !== undefined && (message !== t('copy.short') || !seesEmails) && (
          <strong className="refused"> {message}</strong>
        )}
      </p>
      <p className="hidden" role="status">
        {status ?? t('select.count', { count: customers.length })}
      </p>
      {seesEmails && (
        <CopyButton
          label={t('select.copyEmails')}
          isLabelled
          {...(!isCustomerOpen && { shortcut: 'e' })}
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
      <CompareButton isPossible={canCompare} onClick={canCompare ? compare : refuseCompare} />
      <button
        type="button"
        className="button bare"
        aria-label={t('select.clear')}
        title={`${t('select.clear')} (Esc)`}
        onClick={clear}
      >
        <Icon name="close" />
      </button>
      {dialog === 'compare' && <CompareDialog customers={customers} onClose={close} />}
      {dialog === 'export' && <ExportSelection customers={customers} onClose={close} />}
    </section>
  );
}

/** Also where it is not possible: then it says why. */
function CompareButton({ isPossible, onClick }: { isPossible: boolean; onClick: () => void }) {
  const { t } = useText();
  return (
    <button
      type="button"
      className="button"
      aria-disabled={!isPossible}
      title={isPossible ? undefined : t('select.compareWhy')}
      onClick={onClick}
    >
      <Icon name="compare" />
      <span>{t('select.compare')}</span>
      <kbd aria-hidden="true">v</kbd>
    </button>
  );
}
