import type { Customer } from '@clientele/client';
import type { ReactNode } from 'react';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useCopy } from '../ui/use-copy.ts';
import { useKeys } from '../ui/use-keys.ts';
import { describeCustomer, linkTo } from './customer-facts.ts';
import { hidden } from './hidden.tsx';

/** E-mail, phone and identifier, each copied by a button or a key, or everything at once. */
export function CustomerContact({ customer }: { customer: Customer }) {
  const text = useText();
  const { t } = text;
  const { copy, refuse, messageFor, status } = useCopy();
  const { email, phone, id } = customer;
  const seesEmail = !customer.hidden?.includes('email');
  const seesPhone = !customer.hidden?.includes('phone');

  const copyAll = () => copy('all', describeCustomer(customer, text));
  const copyLink = () => copy('link', linkTo(customer));
  useKeys({
    ...(seesEmail && { e: () => copy('email', email) }),
    ...(seesPhone && phone !== null && { p: () => copy('phone', phone) }),
    i: () => copy('id', id),
    a: copyAll,
    l: copyLink,
  });
  const nothing = (what: 'email' | 'phone', isSeen: boolean) => () =>
    refuse(what, t(isSeen ? 'copy.noPhone' : 'copy.hidden'));
  useKeys(
    {
      ...(!seesEmail && { e: nothing('email', false) }),
      ...((!seesPhone || phone === null) && { p: nothing('phone', seesPhone) }),
    },
    { areCommands: false },
  );
  const refusal = (what: 'email' | 'phone') =>
    messageFor(what) !== undefined && <strong className="refused">{messageFor(what)}</strong>;
  const button = (what: 'email' | 'phone' | 'id', shortcut: string, value: string) => (
    <CopyButton
      label={t(`copy.${what}`)}
      shortcut={shortcut}
      message={messageFor(what)}
      onClick={() => copy(what, value)}
    />
  );

  return (
    <div className="contact">
      <dl>
        <Fact label={t('column.email')}>
          {seesEmail ? (
            <>
              <a href={`mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`}>{email}</a>
              {button('email', 'e', email)}
            </>
          ) : (
            <>
              {hidden(text)}
              {refusal('email')}
            </>
          )}
        </Fact>
        <Fact label={t('column.phone')}>
          {!seesPhone || phone === null ? (
            <>
              {seesPhone ? <span className="nothing">{t('value.noPhone')}</span> : hidden(text)}
              {refusal('phone')}
            </>
          ) : (
            <>
              <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>{phone}</a>
              {button('phone', 'p', phone)}
            </>
          )}
        </Fact>
        <Fact label={t('column.id')}>
          <code>{id}</code>
          {button('id', 'i', id)}
        </Fact>
      </dl>
      {customer.hidden && <p className="hint">{t('value.hiddenWhy')}</p>}
      <CopyMore messageFor={messageFor} copyAll={copyAll} copyLink={copyLink} />
      <p className="hidden" role="status">
        {status}
      </p>
    </div>
  );
}

interface CopyMoreProps {
  messageFor: (what: string) => string | undefined;
  copyAll: () => void;
  copyLink: () => void;
}

function CopyMore({ messageFor, copyAll, copyLink }: CopyMoreProps) {
  const { t } = useText();
  return (
    <p className="copy-more">
      <CopyButton
        label={t('copy.all')}
        isLabelled
        shortcut="a"
        message={messageFor('all')}
        onClick={copyAll}
      />
      <CopyButton
        label={t('copy.link')}
        isLabelled
        shortcut="l"
        message={messageFor('link')}
        onClick={copyLink}
      />
    </p>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
