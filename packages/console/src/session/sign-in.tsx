import { isApiError } from '@clientele/client';
import { useRef, useState, type FormEvent } from 'react';
import { useText } from '../text/text.ts';
import { explain } from '../ui/explain.ts';
import { useCountdown } from '../ui/use-countdown.ts';
import { useTitle } from '../ui/use-title.ts';
import { Wordmark } from '../ui/wordmark.tsx';
import type { Refusal } from './returning.ts';
import { useFocusAfterTyping } from './typed-on.ts';
import type { WhySignedOut } from './use-session.ts';

/** A provider that people can sign in with. */
export interface ProviderChoice {
  /** The host of its pages. */
  name: string;
  /** Why the last attempt failed. */
  refusal: Refusal | undefined;
  go: () => void;
}

interface Props {
  why: WhySignedOut;
  signIn: (key: string) => Promise<void>;
  signOut: () => Promise<void>;
  provider: ProviderChoice | null;
}

export function SignIn({ why, signIn, signOut, provider }: Props) {
  const { t } = useText();
  useTitle(t('signIn.title'));
  return (
    <main className="sign-in">
      <Wordmark />
      <div className="ways">
        <h1>{t('signIn.title')}</h1>
        {why === 'ended' && <p role="status">{t('signIn.ended')}</p>}
        {why === 'out' && <p role="status">{t('signIn.out')}</p>}
        {why === 'stillIn' && (
          <>
            <p role="alert" className="fault">
              {t('signIn.stillIn')}
            </p>
            <button type="button" className="button" onClick={() => void signOut()}>
              {t('problem.retry')}
            </button>
          </>
        )}
        {why === 'outHere' && <p role="status">{t('signIn.outHere')}</p>}
        {!globalThis.isSecureContext && <p role="alert">{t('signIn.insecure')}</p>}
        {provider ? (
          <ByProvider provider={provider} isNew={why === null} signIn={signIn} />
        ) : (
          <ByKey signIn={signIn} />
        )}
      </div>
    </main>
  );
}

interface ByProviderProps {
  provider: ProviderChoice;
  /** Nothing has happened on this page since the last attempt. */
  isNew: boolean;
  signIn: (key: string) => Promise<void>;
}

/** Keys stay available: they work while the provider does not. */
function ByProvider({ provider, isNew, signIn }: ByProviderProps) {
  const { t } = useText();
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfterTyping(() => button.current?.focus());
  const { name, refusal, go } = provider;
  return (
    <>
      {isNew && refusal !== undefined && (
        <p role="alert" className="fault">
          {t(`signIn.refusal.${refusal}`, { provider: name })}
        </p>
      )}
      <button type="button" ref={button} className="button primary" onClick={go}>
        {t('signIn.with', { provider: name })}
      </button>
      <details>
        <summary>{t('signIn.keyInstead')}</summary>
        <ByKey signIn={signIn} isFolded />
      </details>
    </>
  );
}

/** The server blocks an address that guesses. */
function nextAttempt(error: unknown): number {
  const isBlocked = isApiError(error) && error.status === 429;
  return isBlocked ? Date.now() + (error.retryAfter || 60) * 1000 : 0;
}

interface ByKeyProps extends Pick<Props, 'signIn'> {
  /** Below the button of a provider, which has the focus and what is typed on. */
  isFolded?: boolean;
}

/**
 * The key exists only in the field: it is never put in state, storage or the URL. A password manager
 * can fill it in, so that a lost session does not mean finding the key again.
 */
function ByKey({ signIn, isFolded = false }: ByKeyProps) {
  const words = useText();
  const { t } = words;
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [retryAt, setRetryAt] = useState(0);
  const seconds = useCountdown(retryAt);

  useFocusAfterTyping(isFolded ? null : () => field.current?.focus());

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (key === '' || busy || seconds > 0) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(key);
    } catch (error) {
      setProblem(describe(error));
      setRetryAt(nextAttempt(error));
      setBusy(false);
      field.current?.select();
    }
  };

  const describe = (error: unknown): string => {
    if (isApiError(error) && error.status === 401) return t('signIn.wrong');
    if (isApiError(error) && error.status === 429) return t('signIn.tooMany');
    const { title, text } = explain(error as Error, words);
    return `${title}. ${text}`;
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      {/* Password managers keep a key under a user name. */}
      <input type="text" autoComplete="username" value="Clientele" readOnly hidden />
      <label htmlFor="key">{t('signIn.key')}</label>
      <input
        id="key"
        ref={field}
        type="password"
        autoComplete="current-password"
        autoCapitalize="none"
        spellCheck={false}
        required
        placeholder="ck_"
        aria-describedby="key-hint"
        aria-invalid={problem !== undefined}
      />
      <p id="key-hint" className="hint">
        {t('signIn.hint')}
      </p>
      {problem !== undefined && (
        <p role="alert" className="fault">
          {problem} {/* Every second would be announced. */}
          <span aria-live="off">{seconds > 0 && t('signIn.wait', { count: seconds })}</span>
        </p>
      )}
      <button type="submit" className="button primary" aria-disabled={busy || seconds > 0}>
        {t('signIn.button')}
      </button>
    </form>
  );
}
