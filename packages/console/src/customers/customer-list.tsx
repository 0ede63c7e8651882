import type { RefObject } from 'react';
import { go, type Address } from '../address.ts';
import { useText } from '../text/text.ts';
import { explain } from '../ui/explain.ts';
import { ProblemScreen } from '../ui/problem-screen.tsx';
import { useNow } from '../ui/use-now.ts';
import { useOnline } from '../ui/use-online.ts';
import { CustomerTable } from './customer-table.tsx';
import type { useShownList } from './use-shown-list.ts';

interface Props {
  list: ReturnType<typeof useShownList>;
  address: Address;
  open: (id: string) => void;
  field: RefObject<HTMLInputElement | null>;
}

/** The table, or the truth about why there is none. */
export function CustomerList({ list, address, open, field }: Props) {
  const { t, ago } = useText();
  const isOnline = useOnline();
  const now = useNow();
  const { shown, error, isOutdated } = list;

  const again = (
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
        {again}
      </ProblemScreen>
    );
  }
  if (error && !shown) {
    const problem = explain(error, t);
    return <ProblemScreen {...problem}>{problem.canRetry ? again : clear}</ProblemScreen>;
  }
  if (!shown) return <Skeleton />;
  if (shown.items.length === 0 && !isOutdated) {
    if (shown.total > 0) {
      return (
        <ProblemScreen
          title={t('problem.pastEnd.title')}
          text={t('problem.pastEnd.text', { page: address.page, last: shown.pageCount })}
        >
          <button
            type="button"
            className="button primary"
            onClick={() => go({ ...address, page: shown.pageCount }, 'replace')}
          >
            {t('problem.pastEnd.action')}
          </button>
        </ProblemScreen>
      );
    }
    if (address.search === '') {
      return <ProblemScreen title={t('problem.empty.title')} text={t('problem.empty.text')} />;
    }
    return (
      <ProblemScreen
        title={t('problem.noMatch.title')}
        text={t('problem.noMatch.text', { search: address.search })}
      >
        {clear}
      </ProblemScreen>
    );
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

/** The table's outline, for the first load only. */
function Skeleton() {
  const { t } = useText();
  return (
    <p className="loading" role="status">
      {t('fresh.loading')}
    </p>
  );
}
