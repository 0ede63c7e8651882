/** The file of retention rules: what is accepted, and what is said about the rest. */
import { expect, test } from 'vitest';
import { parseRetentionRules, RetentionRulesError } from '../src/privacy/retention/rules.ts';

const today = '2026-06-15';
const parse = (...rules: unknown[]) => parseRetentionRules(JSON.stringify({ rules }), today);

test('a rule has a name and conditions that must all apply', () => {
  expect(
    parse(
      { name: 'inactive', no_order_for: '7 years', is_verified: false },
      { name: 'legacy', created_before: '2019-01-31', older_than: '1 day' },
    ),
  ).toEqual([
    {
      name: 'inactive',
      conditions: [
        { kind: 'no_order_for', period: '7 years' },
        { kind: 'is_verified', value: false },
      ],
    },
    {
      name: 'legacy',
      conditions: [
        { kind: 'created_before', date: '2019-01-31' },
        { kind: 'older_than', period: '1 day' },
      ],
    },
  ]);
});

test.each([
  ['no condition', { name: 'a' }, 'it needs one of no_order_for, older_than, created_before'],
  ['no condition of time', { name: 'a', is_verified: false }, 'erase new customers as well'],
  [
    'a misspelt condition',
    { name: 'a', no_orders_for: '7 years' },
    '"no_orders_for" is not a condition',
  ],
  ['no name', { older_than: '7 years' }, '"name" must be text'],
  ['a name of spaces', { name: ' ', older_than: '7 years' }, '"name" must be text'],
  ['a number as a period', { name: 'a', older_than: 7 }, 'must be a period like "7 years"'],
  ['a period of nothing', { name: 'a', older_than: '0 days' }, 'must be a period'],
  ['a negative period', { name: 'a', older_than: '-7 years' }, 'must be a period'],
  ['a period in hours', { name: 'a', older_than: '7 hours' }, 'must be a period'],
  ['a date that does not exist', { name: 'a', created_before: '2019-02-29' }, 'must be a date'],
  ['a date in the future', { name: 'a', created_before: '2026-06-16' }, 'not in the future'],
  [
    'text for a truth value',
    { name: 'a', older_than: '1 day', is_verified: 'no' },
    'true or false',
  ],
  ['no object', 'inactive', 'it must be an object'],
])('a rule with %s is refused', (_, rule, message) => {
  expect(() => parse(rule)).toThrow(RetentionRulesError);
  expect(() => parse(rule)).toThrow(`rule 1: `);
  expect(() => parse(rule)).toThrow(message);
});

test('every fault is reported, with the number of its rule', () => {
  const rules = [{ name: 'a', older_than: '1 day' }, { name: 'b' }, { older_than: 1 }];
  expect(() => parse(...rules)).toThrow(
    /rule 2: it needs.*\nrule 3: "name".*\nrule 3: "older_than"/,
  );
});

test.each([
  ['{', 'it is not valid JSON'],
  ['[]', 'an object with the list "rules"'],
  ['{"rules": [], "dry_run": true}', 'an object with the list "rules"'],
  ['{"rules": []}', 'it has no rules'],
  [
    '{"rules": [{"name": "a", "older_than": "1 day"}, {"name": "a", "older_than": "2 days"}]}',
    'the name "a" is used twice',
  ],
])('a file with %s is refused', (text, message) => {
  expect(() => parseRetentionRules(text, today)).toThrow(message);
});
