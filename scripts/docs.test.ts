/** `pnpm docs:check` finds values in the pages that differ from the code. */
import { expect, test } from 'vitest';
import { checkBenchmarks, checkImportSpeed, checkMedians, checkMissed } from './docs/measured.ts';
import { checkReview } from './docs/facts.ts';
import { read, section } from './docs/pages.ts';
import {
  checkCommands,
  checkConnections,
  checkCounts,
  checkDefaults,
  checkLimits,
  checkOptions,
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

const measured = section('docs/scaling.md', 'What was measured');
const speed = (text: string) => checkImportSpeed([text]);
const counts = (text: string) => checkCounts([['a-page.md', text]]);

test.each([
  ['a median', checkMedians, measured, '| page 1 | 1.7 |', '| page 1 | 1.4 |'],
  ["PostgreSQL's own time", checkMedians, measured, '3,500', '3,600'],
  ['a missed target', checkMissed, measured, '| 1.51 |', '| 1.49 |'],
  ['the value of a target', checkMissed, measured, '| 0.5, 0.3 |', '| 0.5, 0.2 |'],
  ['a missed target that is left out', checkMissed, measured, '| h: a, b', '| a, b'],
  ['a benchmark', checkBenchmarks, read('docs/benchmarks.md'), '| 3.412 |', '| 3.112 |'],
  ['the speed of imports', speed, read('docs/scaling.md'), 'are at 6,000', 'are at 8,800'],
  ['the speed of a check', speed, read('docs/import.md'), '16,000 rows/s', '17,000 rows/s'],
  ['the number of systems', counts, read('README.md'), '15 common systems', 'nine common systems'],
  ['the largest size', counts, read('README.md'), '[50 million', '[100 million'],
  ['the number of search cases', counts, read('ARCHITECTURE.md'), '102 searches', '101 searches'],
] as const)(
  '%s that differs from what was recorded is found',
  async (_, check, text, right, wrong) => {
    expect(await check(text)).toEqual([]);
    expect(text).toContain(right);
    expect(await check(text.replace(right, wrong))).not.toEqual([]);
  },
);

test('an option that a command does not have is found', () => {
  const options = (command: string) =>
    checkOptions('a-page.md', `Run:\n\n\`\`\`sh\n${command}\n\`\`\`\n`);
  expect(options("clientele erase UUID --reason 'it has --none' --dry-run")).toEqual([]);
  expect(options('clientele demo customers.csv --keep .demo -- --id-column shop:Number')).toEqual(
    [],
  );
  expect(options('clientele keys create --name x --scopes all')).toHaveLength(1);
});
