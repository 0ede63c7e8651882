/** The session endpoints. The session itself is in a cookie that scripts cannot read. */
import { ApiError } from '@clientele/client';

export interface Session {
  /** Null where the server requires no key. */
  key: { id: string; name: string } | null;
  scopes: string[];
  idle_seconds: number | null;
  ends_at: string | null;
}

export interface SessionService {
  /** Null when nobody is signed in. */
  current(): Promise<Session | null>;
  signIn(key: string): Promise<Session>;
  signOut(): Promise<void>;
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
    signOut: async () => void (await ask('DELETE')),
  };
}
