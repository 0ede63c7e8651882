/** The session cookie: not readable by scripts, not sent with cross-site requests. */
import type { FastifyReply, FastifyRequest } from 'fastify';

export function readCookie(request: FastifyRequest): string | undefined {
  const wanted = cookieName(request);
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === wanted) return value;
  }
  return undefined;
}

export function writeCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  value: string,
  lifeMs: number,
): void {
  const parts = [
    `${cookieName(request)}=${value}`,
    'Path=/',
    `Max-Age=${Math.max(0, Math.ceil(lifeMs / 1000))}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isLoopback(request) ? [] : ['Secure']),
  ];
  reply.header('set-cookie', parts.join('; '));
}

export function clearCookie(request: FastifyRequest, reply: FastifyReply): void {
  writeCookie(request, reply, '', 0);
}

/** Browsers accept a `__Host-` cookie only from this very host, not from a sibling domain. */
const cookieName = (request: FastifyRequest): string =>
  isLoopback(request) ? 'clientele-session' : '__Host-clientele-session';

/** Judged by the Host header: the connection itself may come from a proxy on this machine. */
function isLoopback({ headers }: FastifyRequest): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(headers.host ?? '');
}
