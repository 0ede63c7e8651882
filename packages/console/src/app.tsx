import { useEffect } from 'react';
import { go, useAddress } from './address.ts';
import { CustomersPage } from './customers/customers-page.tsx';
import { SessionMenu } from './session/session-menu.tsx';
import { SignIn } from './session/sign-in.tsx';
import { useSession } from './session/use-session.ts';
import { useSettings } from './settings.ts';
import { useText } from './text/text.ts';
import { explain } from './ui/explain.ts';
import { ProblemScreen } from './ui/problem-screen.tsx';

/** Signing in keeps the address, so the page a link leads to opens afterwards. */
export function App() {
  const { t, language } = useText();
  const { theme } = useSettings();
  const address = useAddress();
  const { session, why, isPending, error, refetch, signIn, signOut } = useSession();

  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset['theme'] = theme;
  }, [language, theme]);

  if (isPending && navigator.onLine) return null;
  if (error || isPending) {
    const problem = explain(error ?? new TypeError('offline'), t);
    return (
      <main className="whole">
        <ProblemScreen {...problem}>
          <button type="button" className="button primary" onClick={() => void refetch()}>
            {t('problem.retry')}
          </button>
        </ProblemScreen>
      </main>
    );
  }
  if (!session) return <SignIn why={why} signIn={signIn} />;
  if (!address) {
    return (
      <main className="whole">
        <ProblemScreen title={t('problem.noPage.title')} text={t('problem.noPage.text')}>
          <button
            type="button"
            className="button primary"
            onClick={() => go({ search: '', page: 1, customer: null, alone: false }, 'push')}
          >
            {t('customer.back')}
          </button>
        </ProblemScreen>
      </main>
    );
  }
  return (
    <CustomersPage
      address={address}
      sessionMenu={<SessionMenu session={session} signOut={signOut} />}
    />
  );
}
