/** The roles file, and the settings of the provider. */
import type { ConfigError } from '@clientele/directory';
import { readConfig } from '@clientele/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { groupsOf } from '../src/access/people/person.ts';
import { parseRoles } from '../src/settings/roles.ts';
import { peopleSettings } from './setup/served-people.ts';

let settings: Awaited<ReturnType<typeof peopleSettings>>;
beforeAll(async () => {
  settings = await peopleSettings(
    'https://login.example/realms/staff',
    'https://customers.example',
  );
});
afterAll(() => settings.remove());

const faultsOf = (env: Record<string, string | undefined>): readonly string[] => {
  try {
    readConfig({ DATABASE_URL: 'postgres://localhost/x', ...settings.env, ...env });
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};

test('groups have the roles of the file, and roles the scopes: nothing by default', () => {
  const faults: string[] = [];
  const { rolesOf, scopesOf } = parseRoles(
    JSON.stringify({
      groups: { desk: ['viewer'], leads: ['viewer', 'caller'] },
      roles: { viewer: ['customers:lookup'], caller: ['customers:contact'] },
    }),
    faults,
  );
  expect(faults).toEqual([]);
  expect(rolesOf(['desk', 'leads', 'strangers'])).toEqual(['caller', 'viewer']);
  expect(rolesOf(['strangers', 'toString', '__proto__'])).toEqual([]);
  expect(scopesOf(['caller', 'viewer'])).toEqual(['customers:lookup', 'customers:contact']);
  expect(scopesOf(['removed since', 'constructor'])).toEqual([]);
});

test('people have a daily limit by their roles: the highest, none for those that may export', () => {
  const limits = (file: object) => {
    const faults: string[] = [];
    const { recordsPerDayOf } = parseRoles(JSON.stringify(file), faults);
    expect(faults).toEqual([]);
    return recordsPerDayOf;
  };
  const groups = { desk: ['support'] };
  const usual = limits({ groups });
  expect(usual(['support', 'support-lead'])).toBe(20_000);
  expect(usual(['export', 'support'])).toBeUndefined();
  expect(usual([]), 'of a role that was removed since').toBe(0);
  const own = limits({
    groups,
    records_per_day: { support: 500, 'support-lead': null, export: 90_000 },
  });
  expect(own(['support'])).toBe(500);
  expect(own(['support', 'export'])).toBe(90_000);
  expect(own(['support', 'support-lead'])).toBeUndefined();
});

test.each([
  ['no JSON', 'groups:'],
  ['a list', '[]'],
  ['no groups', '{"roles":{"viewer":["customers:lookup"]}}'],
  ['no group', '{"groups":{}}'],
  ['a group without a list', '{"groups":{"desk":"support"}}'],
  ['an unknown role', '{"groups":{"desk":["admin"]}}'],
  ['an unknown scope', '{"groups":{"desk":["a"]},"roles":{"a":["customers:*"]}}'],
  ['a role without scopes', '{"groups":{"desk":["a"]},"roles":{"a":[]}}'],
  ['a strange name of a role', '{"groups":{"desk":["<b>"]},"roles":{"<b>":["customers:list"]}}'],
  ['a limit of no role', '{"groups":{"desk":["support"]},"records_per_day":{"admin":5}}'],
  ['a limit of nothing', '{"groups":{"desk":["support"]},"records_per_day":{"support":0}}'],
  ['one limit for all', '{"groups":{"desk":["support"]},"records_per_day":5}'],
  ['something else', '{"groups":{"desk":["support"]},"default":["support"]}'],
])(
  'a roles file with %s stops the start, and the message says what is wrong',
  async (_what, text) => {
    await writeFile(settings.env.CLIENTELE_ROLES_FILE, text);
    const faults = faultsOf({});
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.every((fault) => fault.startsWith('CLIENTELE_ROLES_FILE: '))).toBe(true);
    await writeFile(settings.env.CLIENTELE_ROLES_FILE, '{"groups":{"desk":["support"]}}');
    expect(faultsOf({})).toEqual([]);
  },
);

test.each([
  ['CLIENTELE_OIDC_ISSUER', 'http://login.example'],
  ['CLIENTELE_OIDC_ISSUER', 'https://login.example/?tenant=1'],
  ['CLIENTELE_OIDC_ISSUER', undefined],
  ['CLIENTELE_OIDC_CLIENT_ID', undefined],
  ['CLIENTELE_OIDC_CLIENT_SECRET_FILE', undefined],
  ['CLIENTELE_OIDC_CLIENT_SECRET_FILE', '/nowhere'],
  ['CLIENTELE_OIDC_HOSTS', 'https://keys.example'],
  ['CLIENTELE_ROLES_FILE', undefined],
  ['CLIENTELE_PUBLIC_ORIGIN', undefined],
  ['CLIENTELE_PUBLIC_ORIGIN', 'http://customers.example'],
  ['CLIENTELE_PUBLIC_ORIGIN', 'https://customers.example/path'],
  ['CLIENTELE_AUTH', 'none'],
])('%s=%s stops the start, and the message names the setting', (name, value) => {
  expect(faultsOf({ [name]: value }).join()).toContain(name);
});

test('a claim is found by its name, or by a path, and an e-mail address only if it is verified', () => {
  const claims = {
    groups: ['a'],
    'https://example.com/roles': ['b'],
    realm_access: { roles: ['c'] },
    hd: 'staff.example',
    email: 'anna@staff.example',
  };
  expect(groupsOf(claims, 'groups')).toEqual(['a']);
  expect(groupsOf(claims, 'https://example.com/roles')).toEqual(['b']);
  expect(groupsOf(claims, 'realm_access.roles')).toEqual(['c']);
  expect(groupsOf(claims, 'hd')).toEqual(['staff.example']);
  expect(groupsOf(claims, 'email')).toBeUndefined();
  expect(groupsOf({ ...claims, email_verified: true }, 'email')).toEqual(['anna@staff.example']);
  for (const missing of [
    'roles',
    'realm_access',
    'realm_access.toString',
    '__proto__',
    'groups.length',
  ]) {
    expect(groupsOf(claims, missing), missing).toBeUndefined();
  }
});
