/** The session endpoints. The session itself is in a cookie that scripts cannot read. */
import { ApiError } from '@clientele/client';

export interface Session {
  /** Whoever signed in with an access key. */
  key: { id: string; name: string } | null;
  /** Whoever signed in with a provider. Both are null where the server requires no sign-in. */
  person: { id: string; name: string; account: string | null; roles: string[] } | null;
  scopes: string[];
  /** What lists can be sorted by. */
  sort_fields: string[];
  /** From a customer to other systems. */
  links: { label: string; url: string }[];
  idle_seconds: number | null;
  ends_at: string | null;
}

export interface SessionService {
  /** Null when nobody is signed in. */
  current(): Promise<Session | null>;
  signIn(key: string): Promise<Session>;
  /** The provider's page for signing out, if there is one to go to. */
  signOut(): Promise<string | null>;
}

export function createSessionService(apiUrl: string): SessionService {
  const ask = async (method: string, body?: object): Promise<Response> => {
    const response = await fetch(`${apiUrl}/session`, {
      method,
      credentials: 'include',
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (!response.ok) {
      const retryAfter = Number(response.headers.get('retry-after'));
      const requestId = response.headers.get('x-request-id') ?? undefined;
      throw new ApiError({ status: response.status, retryAfter, requestId });
    }
    return response;
  };
  const read = async (response: Response) => ((await response.json()) as { data: Session }).data;
  return {
    current: () =>
      ask('GET')
        .then(read)
        .catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 401) return null;
          throw error;
        }),
    signIn: async (key) => read(await ask('POST', { key })),
    signOut: async () => {
      const response = await ask('DELETE');
      if (response.status === 204) return null;
      const { data } = (await response.json()) as { data: { sign_out_url: string } };
      return data.sign_out_url;
    },
  };
}
