import { isApiError } from '@clientele/client';
import { memo } from 'react';
import type { Address } from '../address.ts';
import { withoutSort } from '../filters.ts';
import { useText } from '../text/text.ts';
import { explain } from '../ui/explain.ts';
import { ProblemScreen } from '../ui/problem-screen.tsx';
import { RetryButton } from '../ui/retry-button.tsx';
import { useRecovery } from '../ui/use-recovery.ts';
import { useNow } from '../ui/use-now.ts';
import { CustomerTable } from './customer-table.tsx';
import { NoRows } from './no-rows.tsx';
import { openFiltered } from './open-search.ts';
import type { List } from './use-shown-list.ts';

interface Props {
  list: List;
  address: Address;
  open: (id: string) => void;
  clearSearch: () => void;
}

/** Not rendered again for every letter that is typed. */
const Table = memo(CustomerTable);

/** The table, or why there is none. */
export function CustomerList({ list, address, open, clearSearch }: Props) {
  const text = useText();
  const { t, ago } = text;
  const now = useNow();
  const { rows, previous, problem, retryAt } = list;
  const explanation = problem && explain(problem, text);
  const mayPass = explanation?.mayPass ?? false;
  useRecovery(rows !== undefined && mayPass, retryAt, list.refresh, list.failedAt);

  const retry = <RetryButton at={retryAt} retry={list.refresh} isAutomatic={mayPass} />;
  const clear = (
    <button type="button" className="button" onClick={clearSearch}>
      {t('search.clear')}
    </button>
  );
  const newestFirst = (
    <button
      type="button"
      className="button primary"
      onClick={() => openFiltered(withoutSort(address.filters))}
    >
      {t('sort.newest')}
    </button>
  );
  if (!rows) {
    if (explanation) {
      const otherwise = address.search === '' ? undefined : clear;
      const isUnsortable = isApiError(problem) && problem.code === 'sort-not-available';
      return (
        <ProblemScreen {...explanation}>
          {isUnsortable ? newestFirst : explanation.canRetry ? retry : otherwise}
        </ProblemScreen>
      );
    }
    return list.skeleton && <div className="skeleton" aria-hidden="true" />;
  }
  if (rows.items.length === 0 && previous === null) {
    return <NoRows shown={rows} address={address} clear={clear} />;
  }
  return (
    <>
      {explanation && (
        <p className="stale" role="alert">
          {t('problem.stale', {
            when: ago(new Date(rows.updatedAt), now),
            reason: explanation.title,
          })}
        </p>
      )}
      {rows.items.length > 0 && (
        <Table shown={rows} isOutdated={previous !== null} address={address} open={open} />
      )}
    </>
  );
}
