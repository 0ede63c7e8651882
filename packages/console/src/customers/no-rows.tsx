import type { ReactNode } from 'react';
import { go, type Address } from '../address.ts';
import { hasFilters, onlySort } from '../filters.ts';
import { useAllowed } from '../session/allowed.ts';
import { useText } from '../text/text.ts';
import { ProblemScreen } from '../ui/problem-screen.tsx';
import { filterNames } from './filter-names.ts';
import { openFiltered } from './open-search.ts';
import type { ShownList } from './shown-list.ts';

interface Props {
  shown: ShownList;
  address: Address;
  /** A button that clears the search. */
  clear: ReactNode;
}

/** A page past the end, an empty directory, or a search or filters without matches. */
export function NoRows({ shown, address, clear }: Props) {
  const text = useText();
  const { t } = text;
  const { contact } = useAllowed();
  /** What is hidden is not searched: the customer may exist. */
  const note = contact || address.search === '' ? '' : ` ${t('problem.notSearched')}`;
  const { search, filters } = address;
  const { total = 0, perPage } = shown;
  if (total > 0) {
    const last = Math.ceil(total / perPage);
    return (
      <ProblemScreen
        title={t('problem.pastEnd.title')}
        text={t('problem.pastEnd.text', { page: address.page, last })}
      >
        <button
          type="button"
          className="button primary"
          onClick={() => go({ ...address, page: last }, 'replace')}
        >
          {t('problem.pastEnd.action')}
        </button>
      </ProblemScreen>
    );
  }
  if (hasFilters(filters)) {
    const names = filterNames(filters, text);
    return (
      <ProblemScreen
        title={t('problem.noMatch.title')}
        text={
          t(search === '' ? 'problem.noneFiltered.text' : 'problem.noMatchFiltered.text', {
            search,
            filters: names,
          }) + note
        }
      >
        <button
          type="button"
          className="button primary"
          onClick={() => openFiltered(onlySort(filters))}
        >
          {t('filter.clear')}
        </button>
        {search !== '' && clear}
      </ProblemScreen>
    );
  }
  if (search === '') {
    return <ProblemScreen title={t('problem.empty.title')} text={t('problem.empty.text')} />;
  }
  return (
    <ProblemScreen
      title={t('problem.noMatch.title')}
      text={t(contact ? 'problem.noMatch.text' : 'problem.noMatchMasked.text', { search }) + note}
    >
      {clear}
    </ProblemScreen>
  );
}
