/**
 * Who may use each route, in one place. A route that is not listed cannot be added, and the scope that is listed
 * is also what is required: a new route is closed until somebody decides who may use it.
 */
import type { Scope } from '@clientele/contract';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { authenticate, type Identify } from './authenticate.ts';

export interface ScopedAccess {
  /** What every request needs. */
  scope: Scope;
  /** What some requests need as well, by what they ask for. Their handler requires it. */
  also?: Readonly<Record<string, Scope>>;
}

export type Access = 'public' | ScopedAccess;

/** `HEAD` is allowed to whoever may `GET`. */
export const routeAccess = {
  'GET /v3/customers': {
    scope: 'customers:list',
    also: {
      search: 'customers:search',
      identifier: 'customers:lookup',
      export: 'customers:export',
    },
  },
  'GET /v3/customers/suggestions': {
    scope: 'customers:list',
    also: { search: 'customers:search' },
  },
  'GET /v3/customers/timeline': {
    scope: 'customers:list',
    also: {
      search: 'customers:search',
      identifier: 'customers:lookup',
      export: 'customers:export',
    },
  },
  'GET /v3/customers/:id': { scope: 'customers:lookup' },
  // They identify whoever calls them by themselves.
  'GET /session': 'public',
  'POST /session': 'public',
  'DELETE /session': 'public',
  // They lead to the provider and back, and let it sign people out.
  'GET /session/sign-in': 'public',
  'GET /session/callback': 'public',
  'POST /session/back-channel-logout': 'public',
  // The console's page and files, without any customer.
  'GET /': 'public',
  'GET /customers/:id': 'public',
  'GET /config.json': 'public',
  'GET /*': 'public',
  'GET /docs': 'public',
  'GET /openapi.json': 'public',
  'GET /livez': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
} as const satisfies Record<string, Access>;

/** What a list needs besides its own scope. */
export const listScopes = routeAccess['GET /v3/customers'].also;

/** Requires of every route that is added from now on what is listed for it. */
export function requireAccess(app: FastifyInstance, identify: Identify | null): void {
  app.addHook('onRoute', (route) => {
    const access = accessOf(route);
    if (access === 'public') return;
    route.onRequest = [route.onRequest ?? [], authenticate(identify, access.scope)].flat();
  });
}

function accessOf({ method, url }: Pick<RouteOptions, 'method' | 'url'>): Access {
  const known: Readonly<Record<string, Access>> = routeAccess;
  const name = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  const access = Object.hasOwn(known, name) ? known[name] : undefined;
  if (access) return access;
  throw new Error(
    `Nothing says who may use ${name}. Add it to routeAccess in src/access/route-access.ts: a scope, or 'public'.`,
  );
}
