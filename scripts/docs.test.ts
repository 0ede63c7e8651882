/** `pnpm docs:check` finds values in the pages that differ from the code. */
import { expect, test } from 'vitest';
import { checkReview } from './docs/facts.ts';
import { section } from './docs/pages.ts';
import {
  checkCommands,
  checkConnections,
  checkDefaults,
  checkLimits,
  checkParameters,
  checkRoles,
  checkScopes,
} from './docs/values.ts';

const list = section('docs/api.md', 'List customers');
const timeline = section('docs/api.md', 'Timeline');

test.each([
  [
    'a limit',
    checkLimits,
    section('docs/api.md', 'Limits'),
    '32 for each node',
    '31 for each node',
  ],
  ['a default', checkDefaults, section('docs/operations.md', 'Settings'), '`12`', '`13`'],
  ['a range', checkDefaults, section('docs/operations.md', 'Settings'), '4 to 300', '4 to 400'],
  [
    'a scope',
    checkScopes,
    section('docs/api.md', 'Authentication'),
    '| `customers:contact`',
    '| `customers:mail`',
  ],
  [
    'a role',
    checkRoles,
    section('docs/access.md', 'Scopes and roles'),
    '| `support` | yes | no |',
    '| `support` | yes | yes |',
  ],
  [
    'a command',
    checkCommands,
    section('docs/operations.md', 'Roles'),
    '| `health` |',
    '| `heal` |',
  ],
  [
    'a number of connections',
    checkConnections,
    section('docs/operations.md', 'The database'),
    '| 18 | 33 |',
    '| 15 | 30 |',
  ],
  [
    'a parameter',
    (text: string) => checkParameters(text, timeline),
    list,
    '1 to 100;',
    '1 to 200;',
  ],
] as const)('%s that differs from the code is found', (_, check, text, right, wrong) => {
  expect(check(text)).toEqual([]);
  expect(text).toContain(right);
  expect(check(text.replace(right, wrong))).not.toEqual([]);
});

test('a decision that does not say at which schema version it was reviewed is found', () => {
  const review = (line: string) => checkReview('a-page.md', `# A page\n\n${line}\n`);
  expect(review('Reviewed at schema version 11.')).toEqual([]);
  expect(review('When we would reconsider.')).toHaveLength(1);
  expect(review('Reviewed at schema version 99.')).toHaveLength(1);
});
