import type { Sort } from '@clientele/client';
import { useRef } from 'react';
import { sortFields, withoutSort, type Filters } from '../filters.ts';
import { useAllowed } from '../session/allowed.ts';
import { useText, type Text } from '../text/text.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { Icon } from '../ui/icon.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { openFiltered } from './open-search.ts';
import { withOrder } from './sorted-by.ts';

export const orderName = ({ sort = '-created_at' }: Filters, { t }: Text): string =>
  t(`order.${sort}`);

/** The order of the list, which is always visible, and a choice of others. Not every order has a column on screen. */
export function OrderMenu({ filters }: { filters: Filters }) {
  const text = useText();
  const { t } = text;
  const { sort: sortable } = useAllowed();
  const button = useRef<HTMLButtonElement>(null);
  useKeys({
    o: () => {
      button.current?.focus();
      button.current?.click();
    },
  });
  const orders = sortFields
    .filter((field) => sortable.includes(field))
    .flatMap((field): Sort[] => [`-${field}`, field]);
  const { sort = '-created_at' } = filters;
  const label = (
    <>
      <Icon name={sort.startsWith('-') ? 'sortDown' : 'sortUp'} /> {orderName(filters, text)}
    </>
  );
  return (
    <div className="order" data-sorted={filters.sort !== undefined || undefined}>
      <Disclosure label={label} button={button} shortcut="o">
        <fieldset className="order-menu">
          <legend>{t('order.label')}</legend>
          {orders.map((order) => (
            <label key={order}>
              <input
                type="radio"
                name="order"
                checked={sort === order}
                onChange={() => openFiltered(withOrder(filters, order))}
              />
              {t(`order.${order}`)}
            </label>
          ))}
        </fieldset>
        {orders.length < 2 * sortFields.length && <p className="hint">{t('order.more')}</p>}
      </Disclosure>
      {filters.sort !== undefined && (
        <button
          type="button"
          className="button bare"
          aria-label={t('order.reset')}
          title={t('order.reset')}
          onClick={() => {
            // The pressed button disappears.
            button.current?.focus();
            openFiltered(withoutSort(filters));
          }}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}
