import type { Customer } from '@clientele/client';
import { useCustomer } from '@clientele/client/react';
import { useEffect, useState, type ReactNode } from 'react';
import { useText } from '../text/text.ts';
import { explain } from '../ui/explain.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { ProblemScreen } from '../ui/problem-screen.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { useNow } from '../ui/use-now.ts';
import { moment } from './customer-table.tsx';

interface Props {
  id: string;
  /** Closing, stepping, opening alone: whoever shows the customer decides which there are. */
  tools: ReactNode;
}

/** One customer, beside the list or on a page of its own. */
export function CustomerDetail({ id, tools }: Props) {
  const { t } = useText();
  const { customer, error, refetch } = useCustomer(id);

  useEffect(() => {
    if (customer) document.title = `${customer.name} · Clientele`;
    return () => void (document.title = 'Clientele');
  }, [customer]);

  if (error && !customer) {
    const problem = explain(error, t);
    return (
      <div className="detail">
        <div className="tools">{tools}</div>
        <ProblemScreen {...problem}>
          {problem.canRetry && (
            <button type="button" className="button" onClick={() => void refetch()}>
              {t('problem.retry')}
            </button>
          )}
        </ProblemScreen>
      </div>
    );
  }
  return (
    <div className="detail" aria-busy={!customer}>
      <div className="tools">{tools}</div>
      {customer && (
        // Anew for each customer: the focus comes, and what was said about the last one goes.
        <article key={customer.id}>
          <h2 ref={focusOnArrival} tabIndex={-1} dir="auto">
            {customer.name}
          </h2>
          <Facts customer={customer} />
        </article>
      )}
    </div>
  );
}

/** Whoever opens a customer is with them from then on, by eye, ear and keyboard. */
const focusOnArrival = (heading: HTMLElement | null) => heading?.focus({ preventScroll: true });

function Facts({ customer }: { customer: Customer }) {
  const text = useText();
  const now = useNow();
  const { t } = text;
  const [said, setSaid] = useState('');

  const copy = (value: string) => {
    navigator.clipboard.writeText(value).then(
      () => setSaid(t('copy.done', { value })),
      () => setSaid(t('copy.failed')),
    );
  };
  const { phone } = customer;
  useKeys({
    e: () => copy(customer.email),
    p: () => phone !== null && copy(phone),
    i: () => copy(customer.id),
  });

  return (
    <div className="facts">
      <p className="under-name">
        <span dir="auto">{customer.company ?? t('value.noCompany')}</span>
        <span className={customer.isVerified ? 'badge verified' : 'badge'}>
          {customer.isVerified && <Icon name="check" />}
          {t(customer.isVerified ? 'value.verified' : 'value.unverified')}
        </span>
      </p>
      <div>
        <dl className="contact">
          <ContactFact
            label={t('column.email')}
            copyLabel={t('copy.email')}
            copyKey="e"
            icon="mail"
            href={`mailto:${encodeURIComponent(customer.email).replaceAll('%40', '@')}`}
            value={customer.email}
            copy={copy}
          />
          {phone === null ? (
            <div>
              <dt>{t('column.phone')}</dt>
              <dd className="nothing">{t('value.noPhone')}</dd>
            </div>
          ) : (
            <ContactFact
              label={t('column.phone')}
              copyLabel={t('copy.phone')}
              copyKey="p"
              icon="phone"
              href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}
              value={phone}
              copy={copy}
            />
          )}
          <ContactFact
            label={t('customer.id')}
            copyLabel={t('copy.id')}
            copyKey="i"
            value={customer.id}
            copy={copy}
          />
        </dl>
        <p className="said" role="status">
          {said}
        </p>
      </div>
      <dl className="figures">
        <div>
          <dt>{t('column.value')}</dt>
          <dd className="large">{text.money(customer.lifetimeValue)}</dd>
        </div>
        <div>
          <dt>{t('column.orders')}</dt>
          <dd className="large">{text.number(customer.totalOrders)}</dd>
        </div>
        <div>
          <dt>{t('column.lastOrder')}</dt>
          <dd>
            {customer.lastOrderAt === null ? (
              <span className="nothing">{t('value.noOrder')}</span>
            ) : (
              <>
                {moment(customer.lastOrderAt, text)}
                <small>{text.ago(customer.lastOrderAt, now)}</small>
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>{t('column.since')}</dt>
          <dd>
            {moment(customer.createdAt, text)}
            <small>{text.ago(customer.createdAt, now)}</small>
          </dd>
        </div>
        {customer.totalOrders > 0 && (
          <div>
            <dt>{t('customer.average')}</dt>
            <dd>{text.money(customer.lifetimeValue / customer.totalOrders)}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

interface ContactFactProps {
  label: string;
  value: string;
  href?: string;
  icon?: IconName;
  copyLabel: string;
  copyKey: string;
  copy: (value: string) => void;
}

function ContactFact({ label, value, href, copyLabel, copyKey, copy }: ContactFactProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {href === undefined ? <code>{value}</code> : <a href={href}>{value}</a>}
        <button
          type="button"
          className="button bare copy"
          aria-label={copyLabel}
          aria-keyshortcuts={copyKey}
          title={copyLabel}
          onClick={() => copy(value)}
        >
          <Icon name="copy" />
          <kbd aria-hidden="true">{copyKey}</kbd>
        </button>
      </dd>
    </div>
  );
}
