/** The list's parameters (docs/api.md). Reports all faults at once and never echoes a value. */
import { limits, type ParameterProblem, type ParameterProblemCode } from '@clientele/contract';
import { parseQuery, type QueryValues } from '../http/query-string.ts';
import { filterParameters, filtersKey, parseFilters, type Filters } from './filters.ts';

export interface ListQuery {
  page: number;
  perPage: number;
  /** Trimmed; empty for no search. */
  search: string;
  /** Left out if there are none. */
  filters?: Filters;
}

export interface ParsedListQuery {
  query: ListQuery;
  errors: ParameterProblem[];
}

/** Equal for requests that ask for the same. */
export const queryKey = ({ page, perPage, search, filters }: ListQuery): string =>
  `${page} ${perPage} ${filtersKey(filters)} ${search}`;

const known = ['page', 'perPage', 'per_page', 'search', ...filterParameters] as const;

export function parseListQuery(url: string): ParsedListQuery {
  const { values, errors } = parseQuery(url, known);
  const fault: Fault = (parameter, code, detail) => {
    errors.push({ parameter, code, detail });
  };

  const integer = (
    parameter: (typeof known)[number],
    code: ParameterProblemCode,
    { min, max, default: fallback }: { min: number; max: number; default: number },
  ): number => {
    const text = values.get(parameter);
    if (text === undefined) return fallback;
    if (text !== null && /^[1-9]\d{0,9}$/.test(text)) {
      const value = Number(text);
      if (value >= min && value <= max) return value;
    }
    fault(
      parameter,
      code,
      `${parameter} must be a whole number from ${min} to ${max}, in plain decimal digits.`,
    );
    return fallback;
  };

  const sizeName = values.has('per_page') ? 'per_page' : 'perPage';
  if (values.has('per_page') && values.has('perPage')) {
    fault(
      'per_page',
      'repeated-parameter',
      'per_page is another spelling of perPage; send one of them.',
    );
  }
  const page = integer('page', 'invalid-page', limits.page);
  const perPage = integer(sizeName, 'invalid-per-page', limits.perPage);

  const search = readSearch(values, fault);
  const filters = parseFilters(values, errors);
  return { query: { page, perPage, search, ...(filters && { filters }) }, errors };
}

/** The parameters of suggestions. */
export function parseSuggestionsQuery(url: string): Pick<ListQuery, 'search'> & {
  errors: ParameterProblem[];
} {
  const { values, errors } = parseQuery(url, ['search']);
  const search = readSearch(values, (parameter, code, detail) => {
    errors.push({ parameter, code, detail });
  });
  return { search, errors };
}

type Fault = (parameter: string, code: ParameterProblemCode, detail: string) => void;

function readSearch(values: QueryValues, fault: Fault): string {
  const text = values.get('search');
  if (text === null) {
    fault('search', 'invalid-search', 'search must be percent-encoded UTF-8 without NUL.');
  }
  const search = (text ?? '').trim();
  const { maxCodePoints, maxTerms } = limits.search;
  if (search.length > maxCodePoints && [...search].length > maxCodePoints) {
    fault('search', 'search-too-long', `search may have at most ${maxCodePoints} characters.`);
  } else if (search.normalize('NFKC').split(/[\s\p{Cc}]+/u, maxTerms + 1).length > maxTerms) {
    fault('search', 'search-too-long', `search may have at most ${maxTerms} terms.`);
  }
  return search;
}
