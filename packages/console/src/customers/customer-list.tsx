import type { RefObject } from 'react';
import { go, type Address } from '../address.ts';
import { useText } from '../text/text.ts';
import { explain } from '../ui/explain.ts';
import { ProblemScreen } from '../ui/problem-screen.tsx';
import { useNow } from '../ui/use-now.ts';
import { useOnline } from '../ui/use-online.ts';
import { CustomerTable } from './customer-table.tsx';
import { NoRows } from './no-rows.tsx';
import type { useShownList } from './use-shown-list.ts';

interface Props {
  list: ReturnType<typeof useShownList>;
  address: Address;
  open: (id: string) => void;
  field: RefObject<HTMLInputElement | null>;
}

/** The table, or why there is none. */
export function CustomerList({ list, address, open, field }: Props) {
  const { t, ago } = useText();
  const isOnline = useOnline();
  const now = useNow();
  const { shown, error, isOutdated } = list;

  const retry = (
    <button type="button" className="button primary" onClick={() => void list.refetch()}>
      {t('problem.retry')}
    </button>
  );
  const clear = (
    <button
      type="button"
      className="button primary"
      onClick={() => {
        go({ ...address, search: '', page: 1 }, 'replace');
        field.current?.focus();
      }}
    >
      {t('search.clear')}
    </button>
  );
  if (!isOnline && (isOutdated || !shown)) {
    return (
      <ProblemScreen title={t('problem.offline.title')} text={t('problem.offline.text')}>
        {retry}
      </ProblemScreen>
    );
  }
  if (error && !shown) {
    const problem = explain(error, t);
    return <ProblemScreen {...problem}>{problem.canRetry ? retry : clear}</ProblemScreen>;
  }
  if (!shown) {
    return (
      <p className="loading" role="status">
        {t('fresh.loading')}
      </p>
    );
  }
  if (shown.items.length === 0 && !isOutdated) {
    return <NoRows shown={shown} address={address} clear={clear} />;
  }
  return (
    <>
      {error && (
        <p className="stale" role="alert">
          {t('problem.stale', {
            when: ago(new Date(shown.updatedAt), now),
            reason: explain(error, t).title,
          })}
        </p>
      )}
      {shown.items.length > 0 && (
        <CustomerTable shown={shown} isOutdated={isOutdated} address={address} open={open} />
      )}
    </>
  );
}
