import { useEffect, useMemo, type ReactNode } from 'react';
import { go, useAddress } from './address.ts';
import { CustomersPage } from './customers/customers-page.tsx';
import { LinksContext } from './customers/customer-links.tsx';
import { addressOfSearch } from './customers/open-search.ts';
import { forgetSelection } from './customers/selection.ts';
import { allowedBy, AllowedContext } from './session/allowed.ts';
import { SessionMenu } from './session/session-menu.tsx';
import { SignIn, type ProviderChoice } from './session/sign-in.tsx';
import { useSession } from './session/use-session.ts';
import { useSettings } from './settings.ts';
import { useText } from './text/text.ts';
import { explain, retryAt } from './ui/explain.ts';
import { ProblemScreen } from './ui/problem-screen.tsx';
import { RetryButton } from './ui/retry-button.tsx';
import { useLasting } from './ui/use-lasting.ts';
import { useOnline } from './ui/use-online.ts';
import { useTitle } from './ui/use-title.ts';
import { Wordmark } from './ui/wordmark.tsx';

/** Signing in keeps the address, so the page a link leads to opens afterwards. */
export function App({ provider }: { provider: ProviderChoice | null }) {
  const text = useText();
  const { t, language } = text;
  const { theme } = useSettings();
  const address = useAddress();
  const { session, why, identity, isPending, error, failedAt, refetch, signIn, signOut } =
    useSession();
  const allowed = useMemo(() => allowedBy(session?.scopes ?? [], session?.sort_fields), [session]);
  const isOnline = useOnline();
  const isSlow = useLasting(isPending, 150);

  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset['theme'] = theme;
  }, [language, theme]);

  // Where somebody signed out, the next one starts without a selection.
  useEffect(() => {
    if (!session && why !== 'ended') forgetSelection();
  }, [session, why]);
  // Nor does anybody go on with the selection of somebody else.
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- runs when somebody else signs in
  useEffect(forgetSelection, [identity]);

  useTitle(address ? null : t('problem.noPage.title'));

  if (!address) {
    return (
      <Whole>
        <ProblemScreen title={t('problem.noPage.title')} text={t('problem.noPage.text')}>
          <button
            type="button"
            className="button primary"
            onClick={() => go(addressOfSearch(''), 'push')}
          >
            {t('customer.back')}
          </button>
        </ProblemScreen>
      </Whole>
    );
  }
  if (error || (isPending && !isOnline)) {
    const problem = explain(error ?? 'offline', text);
    return (
      <Whole>
        <ProblemScreen {...problem}>
          <RetryButton
            at={error ? retryAt(error, failedAt) : 0}
            retry={() => void refetch()}
            isAutomatic={problem.mayPass}
          />
        </ProblemScreen>
      </Whole>
    );
  }
  if (isPending) {
    return (
      <Whole>
        <p role="status">{isSlow && t('fresh.loading')}</p>
      </Whole>
    );
  }
  if (!session) {
    // Keyed, so that the field has the focus where a button disappears.
    return <SignIn key={why} why={why} signIn={signIn} signOut={signOut} provider={provider} />;
  }
  return (
    <AllowedContext value={allowed}>
      <LinksContext value={session.links}>
        <CustomersPage
          key={identity}
          address={address}
          sessionMenu={<SessionMenu session={session} signOut={signOut} />}
        />
      </LinksContext>
    </AllowedContext>
  );
}

function Whole({ children }: { children: ReactNode }) {
  return (
    <main className="whole">
      <h1>
        <Wordmark />
      </h1>
      {children}
    </main>
  );
}
