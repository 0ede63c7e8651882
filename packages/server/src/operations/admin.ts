/**
 * The listener of CLIENTELE_ADMIN_PORT, for metrics and health: they can then be reached by those who operate the
 * service, and not by its clients. Requests to it are neither logged nor counted.
 */
import type { FastifyInstance } from 'fastify';
import type { Config } from '../settings/config.ts';
import { boundConnections } from '../http/connections.ts';
import { createServer } from '../http/create-server.ts';
import { handleErrors } from '../http/error-handler.ts';
import { checkRequests } from '../http/request-checks.ts';
import { requireAccess } from '../access/route-access.ts';
import { addResponseHeaders } from '../http/response-headers.ts';

/** Without routes yet. */
export function createAdminServer(
  config: Pick<Config, 'logLevel' | 'trustedProxies' | 'timeouts'>,
): FastifyInstance {
  const admin = createServer({ ...config, publicOrigin: undefined });
  // Nobody can be identified here: a route with a scope would refuse everyone.
  requireAccess(admin, async () => undefined);
  // It answers until the process ends.
  addResponseHeaders(admin, () => false);
  boundConnections(admin, config.timeouts);
  checkRequests(admin);
  handleErrors(admin);
  return admin;
}
