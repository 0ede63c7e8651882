import { useRef, useState, type ReactNode } from 'react';
import { go, readAddress, type Address } from '../address.ts';
import { useSettings } from '../settings.ts';
import { CustomerPane } from './customer-pane.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { ListPane } from './list-pane.tsx';
import { focusRow, useKeptRowFocus } from './row-focus.ts';
import { TopBar } from './top-bar.tsx';
import { usePageKeys } from './use-page-keys.ts';
import { useShownList } from './use-shown-list.ts';
import { useSteps } from './use-steps.ts';

interface Props {
  address: Address;
  sessionMenu: ReactNode;
}

/** The search, the list, and the open customer next to it or on its own page. */
export function CustomersPage({ address, sessionMenu }: Props) {
  const { perPage } = useSettings();
  const { search, page, customer, alone } = address;
  const list = useShownList({ page, search, perPage });
  const { shown } = list;
  const field = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<'keys' | 'export' | null>(null);
  const step = useSteps(address, list.isOutdated ? undefined : shown);
  useKeptRowFocus(shown?.items);

  const close = () => {
    go({ ...address, customer: null, alone: false }, 'push');
    focusRow(customer);
  };
  const goToPage = (target: number) => {
    if (target === page) return;
    go({ search, page: target, customer: null, alone: false }, 'push');
  };
  const showKeys = () => setDialog('keys');
  usePageKeys({ address, list, field, step, close, goToPage, showKeys });

  return (
    <div
      className="page"
      data-open={customer !== null || undefined}
      data-alone={alone || undefined}
    >
      <TopBar sessionMenu={sessionMenu} showKeys={showKeys} />
      {!alone && (
        <ListPane
          list={list}
          address={address}
          field={field}
          open={openCustomer}
          goToPage={goToPage}
          startExport={() => setDialog('export')}
        />
      )}
      {customer !== null && (
        <CustomerPane id={customer} address={address} step={step} close={close} />
      )}
      {dialog === 'keys' && <KeysDialog onClose={() => setDialog(null)} />}
      {dialog === 'export' && shown && (
        <ExportDialog search={search} total={shown.total} onClose={() => setDialog(null)} />
      )}
    </div>
  );
}

/** Reads the address when called: as one stable function it never makes the rows render again. */
function openCustomer(id: string): void {
  const { search, page } = readAddress(location) ?? { search: '', page: 1 };
  go({ search, page, customer: id, alone: false }, 'push');
}
