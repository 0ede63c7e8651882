import type { Customer } from '@clientele/client';
import { useText } from '../text/text.ts';
import { formatTime } from '../ui/format-time.tsx';
import { useNow } from '../ui/use-now.ts';

/** What the customer has ordered, and when. */
export function CustomerFigures({ customer }: { customer: Customer }) {
  const text = useText();
  const now = useNow();
  const { t } = text;
  const { lifetimeValue, totalOrders, lastOrderAt, createdAt } = customer;
  return (
    <dl className="figures">
      <div>
        <dt>{t('column.value')}</dt>
        <dd className="large">{text.money(lifetimeValue)}</dd>
      </div>
      <div>
        <dt>{t('column.orders')}</dt>
        <dd className="large">{text.number(totalOrders)}</dd>
      </div>
      <div>
        <dt>{t('column.lastOrder')}</dt>
        <dd>
          {lastOrderAt === null ? (
            <span className="nothing">{t('value.noOrder')}</span>
          ) : (
            <>
              {formatTime(lastOrderAt, text)}
              <small>{text.age(lastOrderAt, now)}</small>
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>{t('column.since')}</dt>
        <dd>
          {formatTime(createdAt, text)}
          <small>{text.age(createdAt, now)}</small>
        </dd>
      </div>
      {totalOrders > 0 && (
        <div>
          <dt>{t('customer.average')}</dt>
          <dd>{text.money(lifetimeValue / totalOrders)}</dd>
        </div>
      )}
    </dl>
  );
}
