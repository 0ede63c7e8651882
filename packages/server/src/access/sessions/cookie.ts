/** Our cookies: not readable by scripts, and not sent with the requests of other sites. */
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface Cookie {
  read(request: FastifyRequest): string | undefined;
  write(reply: FastifyReply, value: string, lifeMs: number): void;
  clear(reply: FastifyReply): void;
}

/**
 * Browsers send a `Secure` cookie back only over HTTPS, and accept a `__Host-` one only from this very host, not
 * from a sibling domain. The Host header does not decide: a proxy may send its own.
 */
export function defineCookie(
  baseName: string,
  sameSite: 'Strict' | 'Lax',
  publicOrigin: string | undefined,
): Cookie {
  const isSecure = !publicOrigin?.startsWith('http:');
  const wanted = isSecure ? `__Host-${baseName}` : baseName;
  const write: Cookie['write'] = (reply, value, lifeMs) => {
    const parts = [
      `${wanted}=${value}`,
      'Path=/',
      `Max-Age=${Math.max(0, Math.ceil(lifeMs / 1000))}`,
      'HttpOnly',
      `SameSite=${sameSite}`,
      ...(isSecure ? ['Secure'] : []),
    ];
    // Fastify adds to the cookies that the response has already.
    reply.header('set-cookie', parts.join('; '));
  };
  return {
    write,
    clear: (reply) => write(reply, '', 0),
    read: (request) => {
      for (const part of (request.headers.cookie ?? '').split(';')) {
        const [name, value] = part.trim().split('=', 2);
        if (name === wanted) return value;
      }
      return undefined;
    },
  };
}
