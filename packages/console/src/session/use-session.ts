import { clearCustomers, isApiError } from '@clientele/client';
import { useQuery, useQueryClient, type Query, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect } from 'react';
import { forgetKept, keepFor } from '../kept.ts';
import { forgetTyping } from './typed-on.ts';
import type { Session, SessionService } from './session.ts';

export const SessionServiceContext = createContext<SessionService | null>(null);

/** Here only, if the server could not end the session; perhaps not at all, if it did not respond. */
export type WhySignedOut = 'ended' | 'out' | 'outHere' | 'stillIn' | null;

/** The cached state: the session, or why there is none. */
interface SessionState {
  session: Session | null;
  why: WhySignedOut;
  /** Whose the last session was, and what it allowed. */
  identity: string | null;
}

const sessionKey = ['session'];
const signedInElsewhere = 'signed in';
const tabs = new BroadcastChannel('clientele');

/** Other tabs use the new session, too. */
export function announceSignIn(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- tabs of this origin only
  tabs.postMessage(signedInElsewhere);
}

const stateIn = (queryClient: QueryClient) => queryClient.getQueryData<SessionState>(sessionKey);

/** What one person could see does not stay for another, or for the same one with other scopes. */
function stateOf(queryClient: QueryClient, session: Session | null): SessionState {
  const last = stateIn(queryClient)?.identity ?? null;
  if (!session) return { session, why: null, identity: last };
  const { person, key, scopes } = session;
  const identity = JSON.stringify([person?.id, key?.id, scopes]);
  if (last !== null && last !== identity) clearCustomers(queryClient);
  return { session, why: null, identity };
}

/** Removes all customers from memory and shows the sign-in page. Called on every 401. */
export function endSession(queryClient: QueryClient, why: WhySignedOut = 'ended'): void {
  const identity = stateIn(queryClient)?.identity ?? null;
  queryClient.setQueryData<SessionState>(sessionKey, { session: null, why, identity });
  clearCustomers(queryClient);
  if (why !== 'ended') {
    forgetKept();
    forgetTyping();
  }
}

export function useSession() {
  const service = useContext(SessionServiceContext)!;
  const queryClient = useQueryClient();
  const { data, error, errorUpdatedAt, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: async (): Promise<SessionState> => {
      const session = await service.current();
      // Somebody else may have signed in at the provider.
      if (session?.person) keepFor(session.person.id);
      return stateOf(queryClient, session);
    },
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
    refetchOnReconnect: true,
  });
  const { session = null, why = null, identity = null } = data ?? {};

  useEffect(() => {
    const listener = ({ data }: MessageEvent<WhySignedOut | typeof signedInElsewhere>) => {
      // The session is shared: signing in again in one tab is enough.
      if (data === signedInElsewhere) void queryClient.invalidateQueries({ queryKey: sessionKey });
      else endSession(queryClient, data);
    };
    tabs.addEventListener('message', listener);
    return () => tabs.removeEventListener('message', listener);
  }, [queryClient]);

  useEndWhenIdle(
    session,
    () => service.current().catch(() => null),
    () => endSession(queryClient),
  );

  return {
    session,
    why,
    identity,
    isPending: data === undefined && !error,
    error,
    failedAt: errorUpdatedAt,
    refetch,
    signIn: async (key: string) => {
      const signedIn = await service.signIn(key);
      keepFor(signedIn.key?.id ?? null);
      queryClient.setQueryData(sessionKey, stateOf(queryClient, signedIn));
      announceSignIn();
    },
    signOut: async () => {
      const left = await service.signOut().then(
        (url) => ({ why: 'out', url }) as const,
        // Only a response of the server removes the cookie, not one of a proxy.
        (error: unknown) => {
          const isOurs = isApiError(error) && error.requestId !== undefined;
          return { why: isOurs ? 'outHere' : 'stillIn', url: null } as const;
        },
      );
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- tabs of this origin only
      tabs.postMessage(left.why);
      endSession(queryClient, left.why);
      if (left.url !== null) location.assign(left.url);
    },
  };
}

/** How often a session is looked at that ought to have ended, while another tab uses it. */
const checkSeconds = 60;

/** A failure is none: in an outage, requests are tried again and again. */
const isUse = ({ query, action }: { query: Query; action: { type: string } }): boolean =>
  action.type === 'success' && query.queryKey[0] !== sessionKey[0];

/**
 * Signs out when the session has been idle too long, so that no customers stay on the screen. Another tab or an export
 * may have used it meanwhile; looking at it does not.
 */
function useEndWhenIdle(
  session: Session | null,
  look: () => Promise<Session | null>,
  end: () => void,
): void {
  const idleSeconds = session?.idle_seconds ?? null;
  const queryClient = useQueryClient();
  useEffect(() => {
    if (idleSeconds === null) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const restart = (seconds: number) => {
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(() => void check(), seconds * 1000);
    };
    const check = async () => {
      const isAlive = (await look()) !== null;
      if (isAlive) restart(checkSeconds);
      else if (!isOver) end();
    };
    restart(idleSeconds + 5);
    const unsubscribe = queryClient.getQueryCache().subscribe((event) => {
      if (event.type === 'updated' && isUse(event)) restart(idleSeconds + 5);
    });
    return () => {
      isOver = true;
      unsubscribe();
      clearTimeout(timer);
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the service and the cache never change
  }, [idleSeconds]);
}
