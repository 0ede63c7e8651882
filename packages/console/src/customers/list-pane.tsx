import { useSuggestions } from '@clientele/client/react';
import type { RefObject } from 'react';
import type { Address } from '../address.ts';
import { hasFilters, listKey, onlySort, withoutSort, type Filters } from '../filters.ts';
import { useAllowed } from '../session/allowed.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { useLasting } from '../ui/use-lasting.ts';
import { useKeys } from '../ui/use-keys.ts';
import { CustomerList } from './customer-list.tsx';
import { FilterChips } from './filter-chips.tsx';
import { FilterMenu } from './filter-menu.tsx';
import { Freshness } from './freshness.tsx';
import { noticeableMs } from './list-view.ts';
import { NotAllowed } from './not-allowed.tsx';
import { OrderMenu } from './order-menu.tsx';
import { Pager } from './pager.tsx';
import { moveFocus } from './row-focus.ts';
import { SearchField } from './search-field.tsx';
import { Suggestions } from './suggestions.tsx';
import { Timeline } from './timeline.tsx';
import type { SearchText } from './use-search-text.ts';
import type { List } from './use-shown-list.ts';

interface Props {
  list: List;
  text: SearchText;
  /** How long typing has to pause before a search is sent, in milliseconds. */
  delay: () => number;
  address: Address;
  field: RefObject<HTMLInputElement | null>;
  open: (id: string) => void;
  goToPage: (page: number) => void;
  startExport: () => void;
}

/** A part of a number or of an address: people without contact details would not find it. */
const seemsContact = (search: string): boolean => /@|(?:\d\D*){3}/.test(search);

/** The service suggests nothing for more. */
const fewMatches = 5;
const settledMs = 600;

export function ListPane(props: Props) {
  const { list, text, delay, address, field, open, goToPage, startExport } = props;
  const allowed = useAllowed();
  const { t } = useText();
  const isSearch = list.isCurrent && address.search !== '';
  const isWithoutMatch = isSearch && list.total === 0;
  // A wrong record may be spelt as the search is. While somebody types, most searches have few matches for a moment.
  const hasFew = isSearch && !isWithoutMatch && (list.total ?? Infinity) <= fewMatches;
  const isSettled = useLasting(hasFew, settledMs);
  const { suggestions } = useSuggestions(address.search, {
    enabled: (isWithoutMatch || (hasFew && isSettled)) && allowed.search,
  });
  const suggested = isWithoutMatch || hasFew ? suggestions : [];
  const clearSearch = () => {
    text.clear();
    field.current?.focus();
  };
  return (
    // Quick answers arrive before the previous rows are dimmed.
    <main
      id="main"
      tabIndex={-1}
      data-dim={(list.previous !== null && list.loading !== null) || undefined}
    >
      <NotAllowed />
      {allowed.search && (
        <SearchField
          field={field}
          text={text}
          delay={delay}
          isAnswered={list.isCurrent}
          onlyMatch={
            allowed.open && list.isCurrent && list.total === 1 ? list.rows?.items[0] : undefined
          }
          suggested={isWithoutMatch ? suggested[0]?.search : undefined}
          isMasked={!allowed.contact}
          open={open}
          clear={clearSearch}
          toFirstRow={() => moveFocus(1, field.current)}
        />
      )}
      <ListBar list={list} filters={address.filters} startExport={startExport} />
      {!allowed.contact && isSearch && !isWithoutMatch && seemsContact(address.search) && (
        <p className="hint">{t('problem.notSearched')}</p>
      )}
      <Timeline list={list} goToPage={goToPage} />
      <CustomerList list={list} address={address} open={open} clearSearch={clearSearch} />
      <Suggestions
        suggestions={suggested}
        title={t(isWithoutMatch ? 'suggestions.title' : 'suggestions.also')}
      />
      {list.rows && list.rows.total !== 0 && (
        <Pager shown={list.rows} list={list} address={address} goToPage={goToPage} />
      )}
    </main>
  );
}

interface BarProps extends Pick<Props, 'list' | 'startExport'> {
  filters: Filters;
}

/** Between the search and the table: how many match, the filters, how fresh the rows are, and the export. */
function ListBar({ list, filters, startExport }: BarProps) {
  const { t } = useText();
  const allowed = useAllowed();
  const canExport = allowed.export && list.canExport;
  useKeys({ ...(canExport && { x: startExport }) });
  return (
    <div className="bar-above">
      <Count list={list} filters={filters} />
      <OrderMenu filters={filters} />
      <FilterChips filters={filters} />
      <span className="spring" />
      <Freshness list={list} />
      <FilterMenu filters={filters} />
      {allowed.export && (
        <button
          type="button"
          className="button"
          aria-disabled={!canExport}
          onClick={() => canExport && startExport()}
        >
          <Icon name="export" /> <span className="label">{t('export')}</span>
        </button>
      )}
    </div>
  );
}

/** How many match. While another search or filter loads, what the rows belong to. */
function Count({ list, filters }: Omit<BarProps, 'startExport'>) {
  const { rows, previous, loading } = list;
  const { t } = useText();
  const isCounting = useLasting(list.isCounting, noticeableMs);
  const isPrevious = previous === 'search';
  const describe = ({ searchText, filters: shown, total }: NonNullable<List['rows']>) => {
    if (!isPrevious || !loading) {
      if (total === undefined) return isCounting && t('matches.counting');
      const isAll = searchText === '' && !hasFilters(shown);
      return t(isAll ? 'customers.count' : 'matches.count', { count: total });
    }
    const isSameIn = (part: (all: Filters) => Filters): boolean =>
      listKey({ search: '', filters: part(filters) }) ===
      listKey({ search: '', filters: part(shown) });
    if (!isSameIn(withoutSort)) return t('list.previousFilters');
    if (!isSameIn(onlySort)) return t('list.previousOrder');
    return searchText === '' ? t('list.previousAll') : t('list.previous', { search: searchText });
  };
  return (
    <p className="count" role="status" data-previous={isPrevious || undefined}>
      {rows && describe(rows)}
    </p>
  );
}
