import { useText } from '../text/text.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Session } from './session.ts';

interface Props {
  session: Session;
  signOut: () => Promise<void>;
}

export function SessionMenu({ session, signOut }: Props) {
  const { t } = useText();
  if (session.key === null) return <span className="session-open">{t('session.open')}</span>;
  const label = (
    <>
      <span className="key-name">{session.key.name}</span> <Icon name="down" />
    </>
  );
  return (
    <Disclosure label={label} className="button">
      <div className="session-menu">
        <p>
          {t('session.signedInAs')} <strong>{session.key.name}</strong>
          <code>{session.key.id}</code>
        </p>
        <button type="button" className="button" onClick={() => void signOut()}>
          {t('signOut')}
        </button>
      </div>
    </Disclosure>
  );
}
