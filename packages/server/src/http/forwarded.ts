import type { FastifyInstance } from 'fastify';

/**
 * Warns once if X-Forwarded-For comes from a peer that is not trusted with it: mostly a balancer that is missing
 * from CLIENTELE_TRUSTED_PROXIES, so that all its clients share one address, and the limits of one address.
 */
export function warnOfUntrustedProxies(app: FastifyInstance): void {
  let warned = false;
  let trusted: string | undefined;
  app.addHook('onRequest', (request, _reply, done) => {
    if (warned || request.headers['x-forwarded-for'] === undefined) return done();
    const peer = request.raw.socket.remoteAddress;
    if (peer === trusted) return done();
    // The peer alone, unless it is trusted.
    if ((request.ips?.length ?? 1) > 1) {
      trusted = peer;
      return done();
    }
    warned = true;
    app.log.warn(
      'X-FORWARDED-FOR IS IGNORED: it comes from a peer that is not in CLIENTELE_TRUSTED_PROXIES. If that is your ' +
        'balancer, add its address: until then, all its clients share the limits on wrong keys and failed sign-ins',
    );
    done();
  });
}
