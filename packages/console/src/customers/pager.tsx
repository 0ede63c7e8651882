import { usePrefetchCustomers } from '@clientele/client/react';
import { useState } from 'react';
import { changeSettings, pageSizes, useSettings } from '../settings.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import type { Address } from '../address.ts';
import type { ShownList } from './shown-list.ts';
import type { List } from './use-shown-list.ts';

interface Props {
  shown: ShownList;
  list: List;
  address: Address;
  goToPage: (page: number) => void;
}

/**
 * The range of the rows on screen, and the pages. While another search loads, no page can be chosen; while this one is
 * counted, the ones next to it.
 */
export function Pager({ shown, list, address: { page, search, filters }, goToPage }: Props) {
  const { t, number } = useText();
  const { perPage } = useSettings();
  const { total, items } = shown;
  const shownPages = total === undefined ? undefined : Math.ceil(total / shown.perPage);
  const pageCount = Math.max(1, list.pageCount ?? shownPages ?? page);
  const isKnown = list.pageCount !== undefined;
  const prefetch = usePrefetchCustomers();
  const from = (shown.page - 1) * shown.perPage + 1;
  const step = (by: 1 | -1, label: string) => {
    const target = page + by;
    const possible = list.lastPage !== undefined && target >= 1 && target <= list.lastPage;
    return (
      <button
        type="button"
        className="button bare"
        aria-label={label}
        title={`${label} ${by === 1 ? ']' : '['}`}
        aria-disabled={!possible}
        onPointerEnter={() => possible && prefetch({ page: target, search, perPage, ...filters })}
        onClick={() => possible && goToPage(target)}
      >
        <Icon name={by === 1 ? 'right' : 'left'} />
      </button>
    );
  };
  const rangeText = (first: number, last: number) =>
    total === undefined
      ? t('page.rows', { from: first, to: last })
      : t('page.range', { from: first, to: last, total });

  return (
    <nav
      className="pager"
      aria-label={t('page.pages')}
      data-previous={list.lastPage === undefined || undefined}
    >
      <p className="range" role="status" data-previous={!list.isCurrent || undefined}>
        {items.length > 0
          ? rangeText(from, from + items.length - 1)
          : t('matches.count', { count: total ?? 0 })}
      </p>
      <div className="jump">
        {step(-1, t('page.previous'))}
        <PageField page={page} pageCount={pageCount} isKnown={isKnown} goToPage={goToPage} />
        {total !== undefined && <span>{t('page.of', { count: number(pageCount) })}</span>}
        {step(1, t('page.next'))}
      </div>
      <label className="size">
        <span>{t('page.size')}</span>{' '}
        <select
          value={perPage}
          onChange={(event) => {
            const size = Number(event.target.value);
            changeSettings({ perPage: size });
            // Keep the first of the page's rows on screen.
            goToPage(Math.floor(((page - 1) * perPage) / size) + 1);
          }}
        >
          {pageSizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
    </nav>
  );
}

interface PageFieldProps {
  page: number;
  pageCount: number;
  isKnown: boolean;
  goToPage: (page: number) => void;
}

/** Takes effect on Enter and on blur. Numbers past the end go to the last page. */
function PageField({ page, pageCount, isKnown, goToPage }: PageFieldProps) {
  const { t } = useText();
  const [draft, setDraft] = useState({ page, text: String(page) });
  // On another page, what was typed is over; the field stays, and keeps the focus.
  const typed = draft.page === page ? draft.text : String(page);
  const type = (text: string) => setDraft({ page, text });
  const jump = () => {
    if (!isKnown) return;
    const wanted = Math.min(Math.max(1, Number(typed) || page), pageCount);
    type(String(wanted));
    goToPage(wanted);
  };
  return (
    <label>
      <span>{t('page.label')}</span>{' '}
      <input
        inputMode="numeric"
        readOnly={!isKnown}
        value={typed}
        style={{
          inlineSize: `calc(${Math.max(2, typed.length, String(pageCount).length)}ch + 1.25rem)`,
        }}
        onChange={(event) => type(event.target.value.replaceAll(/\D/g, ''))}
        onKeyDown={(event) => event.key === 'Enter' && jump()}
        onBlur={jump}
      />
    </label>
  );
}
