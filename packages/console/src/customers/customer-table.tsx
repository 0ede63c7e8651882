import { hrefOf, type Address } from '../address.ts';
import { useSettings } from '../settings.ts';
import { useText } from '../text/text.ts';
import { CustomerRow, numericColumns } from './customer-row.tsx';
import type { ShownList } from './use-shown-list.ts';

interface Props {
  shown: ShownList;
  isOutdated: boolean;
  address: Address;
  open: (id: string) => void;
}

export function CustomerTable({ shown, isOutdated, address, open }: Props) {
  const text = useText();
  const settings = useSettings();
  const { t } = text;
  const list = { search: shown.searchText, page: shown.page };
  const largest = Math.max(...shown.items.map((customer) => customer.lifetimeValue));
  return (
    <div className="scroll">
      <table
        id="customers"
        className="customers"
        data-density={settings.density}
        aria-busy={isOutdated}
      >
        <caption className="hidden">{t('customers')}</caption>
        <thead>
          <tr>
            <th scope="col" data-column="name">
              {t('column.name')}
            </th>
            {settings.columns.map((column) => (
              <th
                key={column}
                scope="col"
                data-column={column}
                data-numeric={numericColumns.has(column) || undefined}
              >
                {t(`column.${column}`)}
                {column === 'value' && <small> {text.currency}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {/* Keyed by position: new rows reuse the elements on screen and keep the focus. */}
          {shown.items.map((customer, position) => (
            <CustomerRow
              // oxlint-disable-next-line react/no-array-index-key -- a row has no state to mix up
              key={position}
              customer={customer}
              search={shown.search}
              largest={largest}
              isOpen={customer.id === address.customer}
              href={hrefOf({ ...list, customer: customer.id, alone: true })}
              open={open}
              settings={settings}
              text={text}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
