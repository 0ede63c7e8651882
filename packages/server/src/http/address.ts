import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The client's address. Counts a /64 of IPv6 addresses as one: that is what a household or an office gets. */
export function addressOf({ ip }: FastifyRequest): string {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0')]
    .slice(0, 4)
    .join(':');
}
