/** Which groups of the provider have which roles, and what a role allows. Nobody has a role by default. */
import { scopes, type Scope } from '@clientele/contract';

export interface Roles {
  /** Sorted, without duplicates. Empty for groups that give no role. */
  rolesOf: (groups: readonly string[]) => string[];
  scopesOf: (roles: readonly string[]) => readonly Scope[];
  /** How many customers somebody with these roles is shown in one day: the highest of them. Undefined for no limit. */
  recordsPerDayOf: (roles: readonly string[]) => number | undefined;
}

/**
 * For a role of which the file says nothing: about 200 searches with everything that the console shows meanwhile. One
 * that may export has no limit, since copying the list is what it is for.
 */
const usualRecordsPerDay = 20_000;

/** Those of a file that defines none. */
const usualRoles: Record<string, Scope[]> = {
  support: ['customers:list', 'customers:lookup', 'customers:search'],
  'support-lead': ['customers:list', 'customers:lookup', 'customers:search', 'customers:contact'],
  export: ['customers:export'],
};

const roleName = /^[a-z][a-z0-9-]{0,39}$/;

/** Reads the text of a roles file, and adds what is wrong with it to `faults`. */
export function parseRoles(text: string, faults: string[]): Roles {
  const file = parseObject(text);
  const fault = (what: string) => faults.push(`CLIENTELE_ROLES_FILE: ${what}`);
  const { groups, roles = usualRoles, records_per_day: limits = {}, ...rest } = file ?? {};
  if (!file) fault('it must contain a JSON object, as docs/access.md shows');
  else if (Object.keys(rest).length > 0)
    fault('it must have "groups", may have "roles" and "records_per_day", and nothing else');
  const scopesByRole = new Map(lists(roles) ?? []);
  const rolesByGroup = new Map(lists(groups) ?? []);
  if (file && rolesByGroup.size === 0) {
    fault('"groups" must map each group to a list of roles, and name at least one group');
  }
  if (file && scopesByRole.size === 0) fault('"roles" must map each role to a list of scopes');
  for (const [role, allowed] of scopesByRole) {
    if (!roleName.test(role)) fault('a role is named with at most 40 of a-z, 0-9 and -');
    if (
      allowed.length === 0 ||
      !allowed.every((scope) => (scopes as readonly string[]).includes(scope))
    ) {
      fault(`the scopes of a role must be some of ${scopes.join(', ')}`);
    }
  }
  for (const given of rolesByGroup.values()) {
    if (given.length === 0 || !given.every((role) => scopesByRole.has(role))) {
      fault(`the roles of a group must be some of ${[...scopesByRole.keys()].join(', ')}`);
    }
  }
  const isLimit = (limit: unknown) =>
    limit === null || (Number.isSafeInteger(limit) && (limit as number) > 0);
  const limitsByRole = new Map(isObject(limits) ? Object.entries(limits) : []);
  if (
    !isObject(limits) ||
    ![...limitsByRole].every(([r, n]) => scopesByRole.has(r) && isLimit(n))
  ) {
    fault('"records_per_day" must map roles to a number of customers, or to null for no limit');
  }
  const limitOf = (role: string): number => {
    const limit = limitsByRole.get(role);
    if (limit !== undefined) return (limit as number | null) ?? Infinity;
    const mayExport = scopesByRole.get(role)?.includes('customers:export');
    return mayExport ? Infinity : usualRecordsPerDay;
  };
  return {
    rolesOf: (members) =>
      [...new Set(members.flatMap((group) => rolesByGroup.get(group) ?? []))].toSorted(),
    scopesOf: (given) => {
      const allowed = new Set(given.flatMap((role) => scopesByRole.get(role) ?? []));
      return scopes.filter((scope) => allowed.has(scope));
    },
    recordsPerDayOf: (given) => {
      const most = Math.max(0, ...given.filter((role) => scopesByRole.has(role)).map(limitOf));
      return most === Infinity ? undefined : most;
    },
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined unless every value is a list of strings. */
function lists(value: unknown): [string, string[]][] | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const isList = (list: unknown) =>
    Array.isArray(list) && list.every((item) => typeof item === 'string');
  return entries.every(([, list]) => isList(list)) ? (entries as [string, string[]][]) : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
