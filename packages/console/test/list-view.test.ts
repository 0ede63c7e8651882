import { ApiError, type Customer } from '@clientele/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listView, type ListInputs, type ListRequest } from '../src/customers/list-view.ts';
import type { ShownList } from '../src/customers/shown-list.ts';
import { parseSearch } from '../src/search/matches.ts';

const anna: ListRequest = { search: 'anna', filters: {}, page: 1, perPage: 25 };
const bert: ListRequest = { search: 'bert', filters: {}, page: 1, perPage: 25 };
const unavailable = new ApiError({ status: 503 });
const signedOut = new ApiError({ status: 401 });

function answerTo({ search, filters, page, perPage }: ListRequest, total = 181): ShownList {
  const items = Array.from({ length: Math.min(perPage, total) }, (_, n) => ({
    id: `${search}${n}`,
  }));
  return {
    items: items as Customer[],
    page,
    perPage,
    total,
    search: parseSearch(search),
    searchText: search,
    filters,
    updatedAt: 1,
    asOf: undefined,
  };
}

const quiet = { isPaused: false, failures: 0, error: null, failedAt: 0 };
const view = (inputs: Partial<ListInputs>) =>
  listView({
    wanted: inputs.requested ?? anna,
    requested: anna,
    answer: undefined,
    first: undefined,
    previous: undefined,
    query: quiet,
    isOnline: true,
    isBlocked: false,
    waitedMs: 0,
    ...inputs,
  });

describe('what the list shows', () => {
  test('the wanted rows, with their numbers and the export', () => {
    const answer = answerTo(anna);
    expect(view({ answer })).toMatchObject({
      rows: answer,
      previous: null,
      total: 181,
      pageCount: 8,
      canExport: true,
      loading: null,
      problem: null,
    });
  });

  test('rows that arrive before their total are the wanted ones, without numbers and export', () => {
    const first = { ...answerTo(anna), total: undefined };
    expect(view({ first, previous: answerTo(bert), waitedMs: 1_500 })).toMatchObject({
      rows: first,
      previous: null,
      total: undefined,
      pageCount: undefined,
      isCounting: true,
      canExport: false,
    });
    const answer = answerTo(anna);
    expect(view({ first, answer })).toMatchObject({ rows: answer, total: 181, isCounting: false });
  });

  test('while the total is counted, one can turn to the next page if this one is full and the service sends it first', () => {
    const first = (request: ListRequest, rows: number) => ({
      ...answerTo(request, rows),
      total: undefined,
    });
    const last = (page: number, perPage: number, rows: number) => {
      const requested = { ...anna, page, perPage };
      return view({ requested, first: first(requested, rows) }).lastPage;
    };
    expect(last(1, 25, 25)).toBe(2);
    expect(last(3, 25, 24), 'not full: the last one').toBe(3);
    expect([last(19, 25, 25), last(20, 25, 25)]).toEqual([20, 20]);
    expect([last(4, 100, 100), last(5, 100, 100)]).toEqual([5, 5]);
    const requested = { ...anna, page: 2 };
    expect(view({ requested, previous: first(anna, 25) }).lastPage, 'while it loads').toBe(2);
    expect(view({ requested: bert, previous: first(anna, 25) }).lastPage).toBeUndefined();
    expect(view({ answer: answerTo(anna) }).lastPage, 'once it is counted').toBe(8);
  });

  test('rows of another search never take the place of the typed one', () => {
    const first = { ...answerTo(anna), total: undefined };
    expect(view({ first, wanted: bert })).toMatchObject({
      previous: 'search',
      total: undefined,
      isCounting: false,
    });
  });

  test('rows of the previous search are marked, and have no numbers and no export', () => {
    for (const waitedMs of [0, 150, 1_500]) {
      expect(view({ requested: bert, previous: answerTo(anna), waitedMs })).toMatchObject({
        previous: 'search',
        total: undefined,
        pageCount: undefined,
        canExport: false,
      });
    }
  });

  test('rows are the previous search’s as soon as another one is typed', () => {
    expect(view({ answer: answerTo(anna), wanted: bert })).toMatchObject({
      previous: 'search',
      total: undefined,
      canExport: false,
    });
  });

  test('rows of the previous page are marked; the total belongs to the search', () => {
    const requested = { ...anna, page: 2 };
    expect(view({ requested, previous: answerTo(anna) })).toMatchObject({
      previous: 'page',
      total: 181,
      pageCount: 8,
      canExport: false,
    });
    expect(view({ requested: { ...anna, perPage: 100 }, previous: answerTo(anna) })).toMatchObject({
      previous: 'page',
      pageCount: 2,
    });
  });

  test('nothing is loading for 150 ms, and it is slow after 1.5 s', () => {
    const signs = [0, 149, 150, 1_499, 1_500].map((waitedMs) => view({ waitedMs }).loading);
    expect(signs).toEqual([null, null, 'loading', 'loading', 'slow']);
    expect(view({ waitedMs: 149 }).skeleton).toBe(false);
    expect(view({ waitedMs: 150 }).skeleton).toBe(true);
    expect(view({ waitedMs: 150, previous: answerTo(bert) }).skeleton).toBe(false);
  });

  test('a request that failed once is reported as retried', () => {
    const query = { ...quiet, failures: 1 };
    expect(view({ query, waitedMs: 300 }).loading).toBe('retrying');
    expect(view({ query, waitedMs: 300, wanted: bert }).loading, 'not sent yet').toBe('loading');
  });

  test('offline, rows that belong stay, and others disappear', () => {
    const offline = { isOnline: false, query: { ...quiet, isPaused: true } };
    const answer = answerTo(anna);
    expect(view({ ...offline, answer })).toMatchObject({ rows: answer, problem: null });
    const missing = { rows: undefined, total: undefined, canExport: false, problem: 'offline' };
    expect(view({ ...offline, requested: bert, previous: answer })).toMatchObject(missing);
    expect(view({ ...offline, answer, wanted: bert })).toMatchObject(missing);
    expect(view(offline)).toMatchObject(missing);
  });

  test('a failed search shows the problem; a failed refresh keeps its rows', () => {
    const query = { ...quiet, error: unavailable };
    expect(view({ query, requested: bert, previous: answerTo(anna) })).toMatchObject({
      rows: undefined,
      total: undefined,
      problem: unavailable,
    });
    const answer = answerTo(anna);
    expect(view({ query, answer })).toMatchObject({ rows: answer, problem: unavailable });
  });

  test('a problem is not shown for another search than the one that failed', () => {
    const query = { ...quiet, error: unavailable };
    expect(view({ query, wanted: bert }).problem).toBeNull();
  });

  test('a rate limit ends Retry-After seconds after the response', () => {
    const error = new ApiError({ status: 429, retryAfter: 12 });
    expect(view({ query: { ...quiet, error, failedAt: 5_000 } }).retryAt).toBe(17_000);
    expect(view({ query: { ...quiet, error: unavailable, failedAt: 5_000 } }).retryAt).toBe(0);
  });

  test('signed out, no customer and no number is shown', () => {
    const query = { ...quiet, error: signedOut };
    expect(view({ query, answer: answerTo(anna) })).toMatchObject({
      rows: undefined,
      total: undefined,
    });
  });
});

test('in every state, rows and numbers belong to the search in the field or are marked', () => {
  const request = fc.record({
    search: fc.constantFrom('', 'anna', 'bert'),
    filters: fc.constantFrom({}, { verified: true }, { joinedFrom: '2024-03-01' }),
    page: fc.constantFrom(1, 2),
    perPage: fc.constantFrom(10, 25),
  });
  const some = fc.option(fc.tuple(request, fc.constantFrom(0, 1, 181)), { nil: undefined });
  const inputs = fc.record({
    wanted: request,
    requested: request,
    isAnswered: fc.boolean(),
    hasFirst: fc.boolean(),
    total: fc.constantFrom(0, 1, 181),
    previous: some,
    query: fc.record({
      isPaused: fc.boolean(),
      failures: fc.constantFrom(0, 1),
      error: fc.constantFrom(null, unavailable, signedOut),
      failedAt: fc.constant(0),
    }),
    isOnline: fc.boolean(),
    isBlocked: fc.boolean(),
    waitedMs: fc.constantFrom(0, 150, 1_500),
  });
  fc.assert(
    fc.property(inputs, ({ isAnswered, hasFirst, total, previous, ...rest }) => {
      const { wanted } = rest;
      const shown = listView({
        ...rest,
        answer: isAnswered ? answerTo(rest.requested, total) : undefined,
        first: hasFirst ? { ...answerTo(rest.requested, 181), total: undefined } : undefined,
        previous: previous && answerTo(...previous),
      });
      const { rows } = shown;
      const isSearch =
        rows?.searchText === wanted.search &&
        JSON.stringify(rows.filters) === JSON.stringify(wanted.filters);
      const isPage = rows?.page === wanted.page && rows.perPage === wanted.perPage;
      if (rows) expect(shown.previous).toBe(isSearch ? (isPage ? null : 'page') : 'search');
      if (shown.total !== undefined) expect([shown.total, isSearch]).toEqual([rows?.total, true]);
      if (shown.canExport) expect([isSearch, isPage]).toEqual([true, true]);
      if (shown.isCounting)
        expect([isSearch, isPage, shown.total]).toEqual([true, true, undefined]);
      expect(shown.total === undefined).toBe(shown.pageCount === undefined);
      if (shown.previous === 'search') expect(shown.lastPage).toBeUndefined();
      // Something is always said, unless the wait is short or the sign-in page comes next.
      const isExplained = rows ?? shown.problem ?? shown.loading;
      const isSigningIn = rest.query.error === signedOut;
      expect(Boolean(isExplained) || rest.waitedMs < 150 || isSigningIn).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
