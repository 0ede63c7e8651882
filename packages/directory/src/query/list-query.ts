/** The parameters of the list and of its timeline (docs/api.md). Reports all faults at once and never echoes a value. */
import {
  limits,
  type ParameterProblem,
  type ParameterProblemCode,
  type Sort,
} from '@clientele/contract';
import { parseQuery, type QueryValues } from './query-string.ts';
import { filterParameters, filtersKey, parseFilters, type Filters } from './filters.ts';
import { phoneNumberIn } from './phone-number.ts';
import { parseSort } from './sort.ts';

export interface ListQuery {
  page: number;
  perPage: number;
  /** Trimmed; empty for no search. */
  search: string;
  /** Left out if there are none. */
  filters?: Filters;
  /** Left out for newest first. */
  sort?: Sort;
}

export interface Parsed<T> {
  query: T;
  errors: ParameterProblem[];
}

export interface TimelineOptions {
  /** At most so many periods. */
  buckets: number;
  /** Whether matches are counted where a period starts within a block, instead of estimated. */
  exact: boolean;
  /** They always are if there are at most so many. For tests. */
  few?: number;
}

/** What a timeline describes, and how. */
export interface TimelineQuery extends Pick<ListQuery, 'search' | 'filters'> {
  /** At most so many periods. */
  buckets: number;
  /** Whether matches are counted where a period starts within a block, instead of estimated. */
  exact: boolean;
}

/** Equal for requests that ask for the same. */
export const queryKey = ({ page, perPage, search, filters, sort = '-created_at' }: ListQuery) =>
  `${page} ${perPage} ${filtersKey(filters)} ${sort} ${search}`;

export const timelineKey = ({ buckets, exact, search, filters }: TimelineQuery): string =>
  `${buckets} ${exact} ${filtersKey(filters)} ${search}`;

const known = {
  list: ['page', 'perPage', 'per_page', 'search', ...filterParameters, 'sort'],
  timeline: ['search', ...filterParameters, 'buckets', 'exact'],
} as const;

export function parseListQuery(url: string): Parsed<ListQuery> {
  const { values, errors } = parseQuery(url, known.list);
  const sizeName = values.has('per_page') ? 'per_page' : 'perPage';
  if (values.has('per_page') && values.has('perPage')) {
    errors.push({
      parameter: 'per_page',
      code: 'repeated-parameter',
      detail: 'per_page is another spelling of perPage; send one of them.',
    });
  }
  const page = parseInteger('page', 'invalid-page', limits.page, values, errors);
  const perPage = parseInteger(sizeName, 'invalid-per-page', limits.perPage, values, errors);
  const selection = parseSelection(values, errors);
  const sort = parseSort(values, errors);
  return { query: { page, perPage, ...selection, ...(sort && { sort }) }, errors };
}

/** The parameters of suggestions. */
export function parseSuggestionsQuery(url: string): Parsed<Pick<ListQuery, 'search'>> {
  const { values, errors } = parseQuery(url, ['search']);
  return { query: parseSelection(values, errors), errors };
}

export function parseTimelineQuery(url: string): Parsed<TimelineQuery> {
  const { values, errors } = parseQuery(url, known.timeline);
  const selection = parseSelection(values, errors);
  const buckets = parseInteger('buckets', 'invalid-buckets', limits.buckets, values, errors);
  const exact = values.get('exact') ?? 'true';
  if (values.get('exact') === null || !['true', 'false'].includes(exact)) {
    const detail = 'exact must be true or false.';
    errors.push({ parameter: 'exact', code: 'invalid-filter', detail });
  }
  return { query: { ...selection, buckets, exact: exact === 'true' }, errors };
}

function parseInteger(
  parameter: string,
  code: ParameterProblemCode,
  { min, max, default: fallback }: { min: number; max: number; default: number },
  values: QueryValues,
  errors: ParameterProblem[],
): number {
  const text = values.get(parameter);
  if (text === undefined) return fallback;
  if (text !== null && /^[1-9]\d{0,9}$/.test(text)) {
    const value = Number(text);
    if (value >= min && value <= max) return value;
  }
  const detail = `${parameter} must be a whole number from ${min} to ${max}, in plain decimal digits.`;
  errors.push({ parameter, code, detail });
  return fallback;
}

/** Folding may make several terms of one character. */
const termCount = (search: string): number => search.normalize('NFKC').split(/[\s\p{Cc}]+/u).length;

/** Which customers. */
function parseSelection(
  values: QueryValues,
  errors: ParameterProblem[],
): Pick<ListQuery, 'search' | 'filters'> {
  const fault = (code: ParameterProblemCode, detail: string): void => {
    errors.push({ parameter: 'search', code, detail });
  };
  const text = values.get('search');
  if (text === null) fault('invalid-search', 'search must be percent-encoded UTF-8 without NUL.');
  const search = (text ?? '').trim();
  const { maxCodePoints, maxTerms } = limits.search;
  if (search.length > maxCodePoints && [...search].length > maxCodePoints) {
    fault('search-too-long', `search may have at most ${maxCodePoints} characters.`);
  } else if (termCount(search) > maxTerms && !phoneNumberIn(search)) {
    fault('search-too-long', `search may have at most ${maxTerms} terms.`);
  }
  const filters = parseFilters(values, errors);
  return { search, ...(filters && { filters }) };
}
