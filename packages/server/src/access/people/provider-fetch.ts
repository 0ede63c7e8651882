/** Requests to the provider: to the hosts that were configured and no other, with bounds on time and size. */

const timeoutMs = 5_000;
const mostBytes = 256 * 1024;

/** Its code is in the log, for the operator. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: 'HOST_NOT_CONFIGURED' | 'ISSUER_MISMATCH' | 'RESPONSE_TOO_LARGE';

  constructor(code: ProviderError['code']) {
    super(code);
    this.code = code;
  }
}

export type ProviderFetch = (url: string, options: object) => Promise<Response>;

/** `hosts` with their ports, if they have one. */
export function providerFetch(hosts: ReadonlySet<string>): ProviderFetch {
  return async (url, options) => {
    if (!hosts.has(new URL(url).host)) throw new ProviderError('HOST_NOT_CONFIGURED');
    const signal = AbortSignal.timeout(timeoutMs);
    // A redirect could lead anywhere.
    const response = await fetch(url, { ...options, redirect: 'manual', signal });
    const body = await readBody(response);
    const { status, headers } = response;
    return new Response(body.length > 0 ? body : null, { status, headers });
  };
}

async function readBody(response: Response): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > mostBytes) throw new ProviderError('RESPONSE_TOO_LARGE');
    parts.push(part);
  }
  return Buffer.concat(parts);
}
