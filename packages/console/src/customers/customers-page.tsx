import { usePrefetchCustomers } from '@clientele/client/react';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { go, readAddress, type Address } from '../address.ts';
import { listKey } from '../filters.ts';
import { useAllowed } from '../session/allowed.ts';
import { useSettings } from '../settings.ts';
import { useText } from '../text/text.ts';
import { useTitle } from '../ui/use-title.ts';
import { CustomerPane } from './customer-pane.tsx';
import { ExportDialog, type ExportRequest } from './export-dialog.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { ListPane } from './list-pane.tsx';
import { NoList } from './not-allowed.tsx';
import { addressOfSearch } from './open-search.ts';
import { focusRow, useKeptFocus, useRowAfterBack } from './row-focus.ts';
import { suspendSelection } from './selection.ts';
import { TopBar } from './top-bar.tsx';
import { usePageKeys } from './use-page-keys.ts';
import { useSearchDelay } from './use-search-delay.ts';
import { useSearchEntries } from './use-search-entries.ts';
import { useSearchText } from './use-search-text.ts';
import { useShownList } from './use-shown-list.ts';
import { useSteps } from './use-steps.ts';

interface Props {
  address: Address;
  sessionMenu: ReactNode;
}

/** The search, the list, and the open customer next to it or on its own page. */
export function CustomersPage({ address, sessionMenu }: Props) {
  const { perPage } = useSettings();
  const allowed = useAllowed();
  const { search, filters, page, customer, alone } = address;
  const prefetch = usePrefetchCustomers();
  const field = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<'keys' | ExportRequest | null>(null);
  useListTitle(address);
  useEffect(() => suspendSelection, []);

  const text = useSearchText({
    search,
    onSearch: (typed) => {
      if (typed === search) return;
      // Send the request before rendering.
      prefetch({ page: 1, search: typed, perPage, ...filters });
      goToSearch(typed);
    },
  });
  const list = useShownList({
    requested: { page, search, filters, perPage },
    typed: text.typed,
    isEnabled:
      allowed.list && (!alone || page > 1 || listKey(address) !== listKey(addressOfSearch(''))),
  });
  const goToSearch = useSearchEntries(address, list.isCurrent);
  const delay = useSearchDelay(list.isAwaited, list.problem !== null, list.retryAt);
  const step = useSteps(address, list);
  useKeptFocus('[data-row]', list.rows?.items);
  useRowAfterBack(customer);

  // One stable function, so that it never makes the rows render again.
  const { flush } = text;
  const open = useCallback(
    (id: string) => {
      flush();
      openCustomer(id);
    },
    [flush],
  );
  const close = () => {
    go({ ...address, customer: null, alone: false }, 'push');
    focusRow(customer);
  };
  const goToPage = (target: number) => {
    if (target === page) return;
    go({ ...address, page: target, customer: null, alone: false }, 'push');
  };
  usePageKeys({ address, list, field, step, close, goToPage, showKeys: () => setDialog('keys') });

  return (
    <div
      className="page"
      data-open={customer !== null || undefined}
      data-alone={alone || undefined}
    >
      <TopBar sessionMenu={sessionMenu} showKeys={() => setDialog('keys')} />
      {!alone && !allowed.list && <NoList />}
      {!alone && allowed.list && (
        <ListPane
          list={list}
          text={text}
          delay={delay}
          address={address}
          field={field}
          open={open}
          goToPage={goToPage}
          startExport={() => setDialog({ search, filters, total: list.total ?? 0 })}
        />
      )}
      {customer !== null && (
        <CustomerPane id={customer} address={address} step={step} close={close} />
      )}
      {dialog === 'keys' && <KeysDialog onClose={() => setDialog(null)} />}
      {dialog !== null && dialog !== 'keys' && listKey(dialog) === listKey(address) && (
        <ExportDialog {...dialog} onClose={() => setDialog(null)} />
      )}
    </div>
  );
}

/** An open customer has a title of its own. */
function useListTitle({ search, page, customer }: Address): void {
  const { t } = useText();
  const title = search === '' ? t('customers') : search;
  const listTitle = page === 1 ? title : t('list.titlePage', { search: title, page });
  useTitle(customer === null ? listTitle : null);
}

function openCustomer(id: string): void {
  const address = readAddress(location) ?? addressOfSearch('');
  go({ ...address, customer: id, alone: false }, 'push');
}
