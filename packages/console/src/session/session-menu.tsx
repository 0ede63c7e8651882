import { useText } from '../text/text.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { useAllowed } from './allowed.ts';
import { Icon } from '../ui/icon.tsx';
import type { Session } from './session.ts';

interface Props {
  session: Session;
  signOut: () => Promise<void>;
}

export function SessionMenu({ session, signOut }: Props) {
  const { t } = useText();
  const allowed = useAllowed();
  const who = session.person ?? session.key;
  if (who === null) return <span className="session-open">{t('session.open')}</span>;
  const label = (
    <>
      <span className="key-name">{who.name}</span> <Icon name="down" />
    </>
  );
  return (
    <Disclosure label={label} className="button">
      <div className="session-menu">
        {session.person ? (
          <p>
            {t('session.signedInAs')} <strong>{session.person.name}</strong>
            {session.person.account}
            <span className="roles">
              {t('session.roles', { count: session.person.roles.length })}{' '}
              <strong>{session.person.roles.join(', ')}</strong>
            </span>
          </p>
        ) : (
          <p>
            {t('session.signedInWith')} <strong>{who.name}</strong>
            <code>{who.id}</code>
          </p>
        )}
        {(!allowed.export || !allowed.contact) && (
          <p>
            {!allowed.export && <span>{t('notAllowed.export')}</span>}
            {!allowed.contact && <span>{t('value.hiddenWhy')}</span>}
          </p>
        )}
        <button type="button" className="button" onClick={() => void signOut()}>
          {t('signOut')}
        </button>
      </div>
    </Disclosure>
  );
}
