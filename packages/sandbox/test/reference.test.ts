import { readFileSync } from 'node:fs';
import type { WireCustomer } from '@clientele/contract';
import { expect, test } from 'vitest';
import { listMatches } from '@clientele/sandbox/testing/reference';

const { customers, cases } = JSON.parse(
  readFileSync(new URL('../../contract/fixtures/search-cases.json', import.meta.url), 'utf8'),
) as { customers: WireCustomer[]; cases: { search: string; why: string; expect: string[] }[] };

test.each(cases)(
  'the reference implementation finds $search: $why',
  ({ search, expect: expected }) => {
    expect(listMatches(customers, search).map(({ uuid }) => uuid)).toEqual(expected);
  },
);
