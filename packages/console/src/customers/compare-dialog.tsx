import type { Customer } from '@clientele/client';
import { Fragment } from 'react';
import { go, hrefOf } from '../address.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Link } from '../ui/link.tsx';
import { addressOfCustomer } from './open-search.ts';
import { factsOf } from './customer-facts.ts';

/** More would not fit side by side. */
export const mostCompared = 4;

interface Props {
  customers: readonly Customer[];
  onClose: () => void;
}

/** Customers side by side, with a mark between neighbours where they differ. */
export function CompareDialog({ customers, onClose }: Props) {
  const text = useText();
  const { t } = text;
  // The name is the head of its column.
  const [first, ...others] = customers.map((customer) => factsOf(customer, text).slice(1));
  return (
    <Dialog title={t('compare.title')} onClose={onClose} isWide>
      <table className="compare" data-count={customers.length}>
        <thead>
          <tr>
            {customers.map((customer) => (
              <Fragment key={customer.id}>
                <td />
                <NameCell customer={customer} />
              </Fragment>
            ))}
          </tr>
        </thead>
        <tbody>
          {first!.map(({ label, value, isHidden }, row) => {
            const values = [value, ...others.map((facts) => facts[row]!.value)];
            return (
              <tr key={label} data-same={values.every((each) => each === value) || undefined}>
                <th scope="row">{t(label)}</th>
                <td dir="auto">{value ?? '–'}</td>
                {values.slice(1).map((other, index) => (
                  <Fragment key={customers[index + 1]!.id}>
                    <td>{mark(values[index] === other, isHidden)}</td>
                    <td dir="auto">{other ?? '–'}</td>
                  </Fragment>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </Dialog>
  );

  function mark(isSame: boolean, isHidden: boolean) {
    const name = t(isSame ? 'compare.same' : 'compare.differs');
    return (
      <span role="img" aria-label={isHidden ? t('value.hiddenWhy') : name}>
        {isHidden ? '?' : isSame ? '=' : '≠'}
      </span>
    );
  }
}

function NameCell({ customer: { id, name } }: { customer: Customer }) {
  const page = addressOfCustomer(id);
  return (
    <th scope="col">
      <Link href={hrefOf(page)} follow={() => go(page, 'push')} dir="auto">
        {name}
      </Link>
    </th>
  );
}
