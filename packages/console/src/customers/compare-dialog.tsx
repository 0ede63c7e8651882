import type { Customer } from '@clientele/client';
import { go, hrefOf } from '../address.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Link } from '../ui/link.tsx';
import { addressOfCustomer } from './open-search.ts';
import { factsOf } from './customer-facts.ts';

interface Props {
  pair: readonly [Customer, Customer];
  onClose: () => void;
}

/** Two customers side by side, with a mark where they differ. */
export function CompareDialog({ pair, onClose }: Props) {
  const text = useText();
  const { t } = text;
  const [left, right] = pair.map((customer) => factsOf(customer, text));
  return (
    <Dialog title={t('compare.title')} onClose={onClose} isWide>
      <table className="compare">
        <thead>
          <tr>
            <td />
            <NameCell customer={pair[0]} />
            <td />
            <NameCell customer={pair[1]} />
          </tr>
        </thead>
        <tbody>
          {left!.map(([label, value, isHidden], row) => {
            const other = right![row]![1];
            const isSame = value === other;
            const sameOrNot = t(isSame ? 'compare.same' : 'compare.differs');
            return (
              <tr key={label} data-same={isSame || undefined}>
                <th scope="row">{t(label)}</th>
                <td dir="auto">{value ?? '–'}</td>
                <td>
                  <span role="img" aria-label={isHidden ? t('value.hiddenWhy') : sameOrNot}>
                    {isHidden ? '?' : isSame ? '=' : '≠'}
                  </span>
                </td>
                <td dir="auto">{other ?? '–'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Dialog>
  );
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
