import { usePrefetchCustomers } from '@clientele/client/react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { go, hrefOf, readAddress, type Address } from '../address.ts';
import { SessionMenu } from '../session/session-menu.tsx';
import type { Session } from '../session/session.ts';
import { useSettings } from '../settings.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { useNarrow } from '../ui/use-narrow.ts';
import { Wordmark } from '../ui/wordmark.tsx';
import { CustomerDetail } from './customer-detail.tsx';
import { CustomerList } from './customer-list.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { Freshness } from './freshness.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { Pager } from './pager.tsx';
import { focusRow, moveFocus, useKeptRowFocus } from './row-focus.ts';
import { SearchField } from './search-field.tsx';
import { useShownList } from './use-shown-list.ts';
import { useSteps } from './use-steps.ts';
import { ViewMenu } from './view-menu.tsx';

interface Props {
  address: Address;
  session: Session;
  signOut: () => Promise<void>;
}

/** The screen: search, list, and the open customer beside it or alone. */
export function CustomersPage({ address, session, signOut }: Props) {
  const { t } = useText();
  const { perPage } = useSettings();
  const { search, page, customer, alone } = address;
  const list = useShownList({ page, search, perPage });
  const { shown } = list;
  const prefetch = usePrefetchCustomers();
  const field = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<'keys' | 'export' | null>(null);
  const narrow = useNarrow();

  const close = () => {
    go({ ...address, customer: null, alone: false }, 'push');
    focusRow(customer);
  };
  const goToPage = (target: number) => {
    if (target === page) return;
    go({ search, page: target, customer: null, alone: false }, 'push');
  };
  useKeptRowFocus(shown?.items);
  const step = useSteps(address, list.isOutdated ? undefined : shown);
  const move = (by: 1 | -1) => {
    if (customer !== null) step(by);
    else moveFocus(by, field.current);
  };
  const pageBy = (by: 1 | -1) => {
    if (page + by >= 1 && page + by <= (shown?.pageCount ?? 1)) goToPage(page + by);
  };

  useKeys({
    '/': () => {
      // From a customer's own page, the list has to come first.
      if (alone) flushSync(() => go({ ...address, customer: null, alone: false }, 'push'));
      field.current?.focus();
      field.current?.select();
    },
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    '[': () => pageBy(-1),
    ']': () => pageBy(1),
    r: () => void list.refetch(),
    '?': () => setDialog('keys'),
    ...(customer !== null && { Escape: close }),
  });

  const onlyMatch = !list.isOutdated && shown?.total === 1 ? shown.items[0] : undefined;
  const tools = (
    <>
      {alone && (
        <a
          className="button"
          href={hrefOf({ ...address, alone: false, customer: null })}
          onClick={(event) => {
            event.preventDefault();
            close();
          }}
        >
          <Icon name="left" /> {t('customer.back')}
        </a>
      )}
      <span className="spring" />
      <ToolButton icon="up" label={t('customer.previous')} shortcut="k" onClick={() => step(-1)} />
      <ToolButton icon="down" label={t('customer.next')} shortcut="j" onClick={() => step(1)} />
      {!alone && (
        <>
          <a
            className="button bare"
            href={hrefOf({ ...address, alone: true })}
            aria-label={t('customer.alone')}
            title={t('customer.alone')}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              go({ ...address, alone: true }, 'push');
            }}
          >
            <Icon name="out" />
          </a>
          <ToolButton icon="close" label={t('customer.close')} shortcut="Esc" onClick={close} />
        </>
      )}
    </>
  );

  return (
    <div
      className="page"
      data-open={customer !== null || undefined}
      data-alone={alone || undefined}
    >
      <header className="top">
        <a className="skip" href="#main">
          {t('skip')}
        </a>
        <h1>
          <a
            href="/"
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              go({ search: '', page: 1, customer: null, alone: false }, 'push');
            }}
          >
            <Wordmark />
          </a>
        </h1>
        <span className="spring" />
        <button
          type="button"
          className="button bare help"
          aria-label={t('keys.title')}
          title={t('keys.title')}
          onClick={() => setDialog('keys')}
        >
          <kbd>?</kbd>
        </button>
        <ViewMenu />
        <SessionMenu session={session} signOut={signOut} />
      </header>
      {!alone && (
        <main id="main" tabIndex={-1}>
          <SearchField
            field={field}
            search={search}
            onSearch={(text) => {
              // On its way before the page is drawn anew.
              if (text !== search) prefetch({ page: 1, search: text, perPage });
              go({ ...address, search: text, page: 1 }, 'replace');
            }}
            onlyMatch={onlyMatch}
            open={openCustomer}
            toFirstRow={() => moveFocus(1, field.current)}
          />
          <div className="bar-above">
            <p className="count" role="status">
              {shown &&
                t(shown.search.isEmpty ? 'customers.count' : 'matches.count', {
                  count: shown.total,
                })}
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
              aria-disabled={!shown || shown.total === 0}
              onClick={() => shown && shown.total > 0 && setDialog('export')}
            >
              <Icon name="export" /> <span className="label">{t('export')}</span>
            </button>
          </div>
          <CustomerList list={list} address={address} open={openCustomer} field={field} />
          {shown && shown.total > 0 && (
            <Pager shown={shown} page={page} search={search} goToPage={goToPage} />
          )}
        </main>
      )}
      {customer !== null &&
        (alone ? (
          <main id="main" className="alone" tabIndex={-1}>
            <CustomerDetail id={customer} tools={tools} />
          </main>
        ) : (
          // Where it takes the list's place it is what the page is about.
          <div
            className="beside"
            role={narrow ? 'main' : 'complementary'}
            aria-label={t('customer.label')}
          >
            <CustomerDetail id={customer} tools={tools} />
          </div>
        ))}
      {dialog === 'keys' && <KeysDialog onClose={() => setDialog(null)} />}
      {dialog === 'export' && shown && (
        <ExportDialog search={search} total={shown.total} onClose={() => setDialog(null)} />
      )}
    </div>
  );
}

/** Beside the list as it is at that moment; one function for good, so that rows need not render anew. */
function openCustomer(id: string): void {
  const { search, page } = readAddress(location) ?? { search: '', page: 1 };
  go({ search, page, customer: id, alone: false }, 'push');
}

interface ToolButtonProps {
  icon: 'up' | 'down' | 'close';
  label: string;
  shortcut: string;
  onClick: () => void;
}

function ToolButton({ icon, label, shortcut, onClick }: ToolButtonProps) {
  return (
    <button
      type="button"
      className="button bare"
      aria-label={label}
      title={`${label} (${shortcut})`}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
