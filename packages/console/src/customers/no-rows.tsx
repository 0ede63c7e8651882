import type { ReactNode } from 'react';
import { go, type Address } from '../address.ts';
import { useText } from '../text/text.ts';
import { ProblemScreen } from '../ui/problem-screen.tsx';
import type { ShownList } from './use-shown-list.ts';

interface Props {
  shown: ShownList;
  address: Address;
  /** A button that clears the search. */
  clear: ReactNode;
}

/** A page past the end, an empty directory, or a search without matches. */
export function NoRows({ shown, address, clear }: Props) {
  const { t } = useText();
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
