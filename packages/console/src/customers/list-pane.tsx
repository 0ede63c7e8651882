import { usePrefetchCustomers } from '@clientele/client/react';
import type { RefObject } from 'react';
import { go, type Address } from '../address.ts';
import { useSettings } from '../settings.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { CustomerList } from './customer-list.tsx';
import { Freshness } from './freshness.tsx';
import { Pager } from './pager.tsx';
import { moveFocus } from './row-focus.ts';
import { SearchField } from './search-field.tsx';
import { useSearchDelay } from './use-search-delay.ts';
import type { useShownList } from './use-shown-list.ts';

interface Props {
  list: ReturnType<typeof useShownList>;
  address: Address;
  field: RefObject<HTMLInputElement | null>;
  open: (id: string) => void;
  goToPage: (page: number) => void;
  startExport: () => void;
}

export function ListPane({ list, address, field, open, goToPage, startExport }: Props) {
  const { search, page } = address;
  const { perPage } = useSettings();
  const prefetch = usePrefetchCustomers();
  const { shown, isOutdated, error } = list;
  const delay = useSearchDelay(isOutdated, error !== null);
  return (
    <main id="main" tabIndex={-1}>
      <SearchField
        field={field}
        search={search}
        onSearch={(text) => {
          // Send the request before rendering.
          if (text !== search) prefetch({ page: 1, search: text, perPage });
          go({ ...address, search: text, page: 1 }, 'replace');
        }}
        delay={delay}
        onlyMatch={!isOutdated && shown?.total === 1 ? shown.items[0] : undefined}
        open={open}
        toFirstRow={() => moveFocus(1, field.current)}
      />
      <ListBar list={list} startExport={startExport} />
      <CustomerList list={list} address={address} open={open} field={field} />
      {shown && shown.total > 0 && (
        <Pager shown={shown} page={page} search={search} goToPage={goToPage} />
      )}
    </main>
  );
}

/** Between the search and the table: how many match, how fresh they are, and the export. */
function ListBar({ list, startExport }: Pick<Props, 'list' | 'startExport'>) {
  const { t } = useText();
  const { shown } = list;
  const canExport = shown !== undefined && shown.total > 0;
  return (
    <div className="bar-above">
      <p className="count" role="status">
        {shown &&
          t(shown.search.isEmpty ? 'customers.count' : 'matches.count', { count: shown.total })}
      </p>
      <span className="spring" />
      <Freshness
        updatedAt={shown?.updatedAt}
        isFetching={list.isFetching}
        refresh={() => void list.refetch()}
      />
      <button
        type="button"
        className="button"
        aria-disabled={!canExport}
        onClick={() => canExport && startExport()}
      >
        <Icon name="export" /> <span className="label">{t('export')}</span>
      </button>
    </div>
  );
}
