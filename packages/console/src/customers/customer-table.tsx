import { useEffect } from 'react';
import { hrefOf, type Address } from '../address.ts';
import { listKey } from '../filters.ts';
import { useAllowed } from '../session/allowed.ts';
import { useSettings } from '../settings.ts';
import { useText, type Text } from '../text/text.ts';
import { ColumnHeader } from './column-header.tsx';
import { CustomerRow } from './customer-row.tsx';
import { measureRoom, useFittingColumns } from './use-fitting-columns.ts';
import { useOneTabStop, useOpenRowInView } from './row-focus.ts';
import { rowActions } from './row-actions.ts';
import { addSelected, removeSelected, resumeSelection, useSelected } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import type { ShownList } from './shown-list.ts';

interface Props {
  shown: ShownList;
  isOutdated: boolean;
  address: Address;
  open: (id: string) => void;
}

export function CustomerTable({ shown, isOutdated, address, open }: Props) {
  const text = useText();
  const { density } = useSettings();
  const columns = useFittingColumns();
  const allowed = useAllowed();
  const { items, searchText: search, filters } = shown;
  const key = listKey({ search, filters });
  const selected = useSelected(key);
  const { t } = text;
  useEffect(() => resumeSelection(key, items), [key, items]);
  useOpenRowInView(address.customer, items);
  useOneTabStop(items, address.customer);
  const list = { search, filters, page: shown.page };
  return (
    <>
      <div className="scroll" ref={measureRoom}>
        <table id="customers" className="customers" data-density={density} aria-busy={isOutdated}>
          <caption className="hidden">{t('customers')}</caption>
          <thead>
            <tr>
              <td data-column="select">
                <SelectPage list={key} items={items} selected={selected} text={text} />
              </td>
              <th scope="col" data-column="name">
                {t('column.name')}
              </th>
              {columns.map((column) => (
                <ColumnHeader
                  key={column.name}
                  column={column}
                  shown={filters}
                  filters={address.filters}
                />
              ))}
            </tr>
          </thead>
          <tbody {...rowActions({ list: key, items, open: allowed.open ? open : undefined })}>
            {/* Keyed by position: new rows reuse the elements on screen and keep the focus. */}
            {items.map((customer, position) => (
              <CustomerRow
                // oxlint-disable-next-line react/no-array-index-key -- a row has no state to mix up
                key={position}
                customer={customer}
                search={shown.search}
                isOpen={customer.id === address.customer}
                isSelected={selected.has(customer.id)}
                href={
                  allowed.open ? hrefOf({ ...list, customer: customer.id, alone: true }) : undefined
                }
                open={open}
                columns={columns}
                text={text}
              />
            ))}
          </tbody>
        </table>
      </div>
      {selected.size > 0 && key === listKey(address) && (
        <SelectionBar
          customers={[...selected.values()]}
          isOutdated={isOutdated}
          isCustomerOpen={address.customer !== null}
        />
      )}
    </>
  );
}

interface SelectPageProps {
  list: string;
  items: ShownList['items'];
  selected: ReadonlyMap<string, unknown>;
  text: Text;
}

/** Selects all rows of the page, or none if all are selected. */
function SelectPage({ list, items, selected, text }: SelectPageProps) {
  const count = items.filter(({ id }) => selected.has(id)).length;
  const isWhole = count === items.length;
  return (
    <label>
      <span className="hidden">{text.t('select.page')}</span>
      <input
        type="checkbox"
        checked={isWhole}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && !isWhole;
        }}
        onChange={() => (isWhole ? removeSelected : addSelected)(list, items)}
      />
    </label>
  );
}
