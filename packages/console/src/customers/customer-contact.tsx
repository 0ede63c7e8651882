import type { Customer } from '@clientele/client';
import { useState } from 'react';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { useKeys } from '../ui/use-keys.ts';

/** E-mail, phone and identifier, each copied by a button or a key. */
export function CustomerContact({ customer }: { customer: Customer }) {
  const { t } = useText();
  const [status, setStatus] = useState('');
  const { email, phone, id } = customer;

  const copy = (value: string) => {
    navigator.clipboard.writeText(value).then(
      () => setStatus(t('copy.done', { value })),
      () => setStatus(t('copy.failed')),
    );
  };
  useKeys({
    e: () => copy(email),
    p: () => phone !== null && copy(phone),
    i: () => copy(id),
  });

  return (
    <div>
      <dl className="contact">
        <ContactFact
          label={t('column.email')}
          copyLabel={t('copy.email')}
          copyKey="e"
          href={`mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`}
          value={email}
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
            href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}
            value={phone}
            copy={copy}
          />
        )}
        <ContactFact
          label={t('customer.id')}
          copyLabel={t('copy.id')}
          copyKey="i"
          value={id}
          copy={copy}
        />
      </dl>
      <p className="copy-status" role="status">
        {status}
      </p>
    </div>
  );
}

interface ContactFactProps {
  label: string;
  value: string;
  href?: string;
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
