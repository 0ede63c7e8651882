import { usePrefetchCustomers } from '@clientele/client/react';
import { useState } from 'react';
import { changeSettings, pageSizes } from '../settings.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import type { ShownList } from './use-shown-list.ts';

interface Props {
  shown: ShownList;
  page: number;
  search: string;
  goToPage: (page: number) => void;
}

export function Pager({ shown, page, search, goToPage }: Props) {
  const { t, number } = useText();
  const { pageCount, perPage, total, items } = shown;
  const prefetch = usePrefetchCustomers();
  const from = (shown.page - 1) * perPage + 1;
  const step = (by: 1 | -1, label: string) => {
    const target = page + by;
    const possible = target >= 1 && target <= pageCount;
    return (
      <button
        type="button"
        className="button bare"
        aria-label={label}
        title={`${label} ${by === 1 ? ']' : '['}`}
        aria-disabled={!possible}
        onPointerEnter={() => possible && prefetch({ page: target, search, perPage })}
        onClick={() => possible && goToPage(target)}
      >
        <Icon name={by === 1 ? 'right' : 'left'} />
      </button>
    );
  };

  return (
    <nav className="pager" aria-label={t('page.pages')}>
      <p className="range" role="status">
        {items.length > 0
          ? t('page.range', { from, to: from + items.length - 1, total })
          : t('matches.count', { count: total })}
      </p>
      <div className="jump">
        {step(-1, t('page.previous'))}
        <PageField key={page} page={page} pageCount={Math.max(1, pageCount)} goToPage={goToPage} />
        <span>{t('page.of', { count: number(Math.max(1, pageCount)) })}</span>
        {step(1, t('page.next'))}
      </div>
      <label className="size">
        <span>{t('page.size')}</span>{' '}
        <select
          value={perPage}
          onChange={(event) => {
            const size = Number(event.target.value);
            changeSettings({ perPage: size });
            // Keep the first of these rows on screen.
            goToPage(Math.floor((from - 1) / size) + 1);
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
  goToPage: (page: number) => void;
}

/** Takes effect on Enter and on blur. Numbers past the end go to the last page. */
function PageField({ page, pageCount, goToPage }: PageFieldProps) {
  const { t } = useText();
  const [typed, setTyped] = useState(String(page));
  const jump = () => {
    const wanted = Math.min(Math.max(1, Number(typed) || page), pageCount);
    setTyped(String(wanted));
    goToPage(wanted);
  };
  return (
    <label>
      {t('page.label')}{' '}
      <input
        inputMode="numeric"
        value={typed}
        style={{ inlineSize: `calc(${Math.max(2, String(pageCount).length)}ch + 1.25rem)` }}
        onChange={(event) => setTyped(event.target.value.replaceAll(/\D/g, ''))}
        onKeyDown={(event) => event.key === 'Enter' && jump()}
        onBlur={jump}
      />
    </label>
  );
}
