/** What narrows a list besides its search: parameters of the API (docs/api.md), of commands, and of maps. */
import type { ParameterProblem, WireCustomer } from '@clientele/contract';
import type { QueryValues } from './query-string.ts';

/** What a customer is besides being somewhere in the list. Undefined: either. */
export interface Flags {
  verified?: boolean;
  hasOrders?: boolean;
}

/** The places from `from` up to, but not including, `to`. */
export interface Range {
  from: number;
  to: number;
}

/** Only those that are set. Instants are in milliseconds since 1970, as creation times are stored. */
export interface Filters extends Flags {
  /** Who was created at this instant or later. */
  joinedFrom?: number;
  /** Who was created before this instant. */
  joinedTo?: number;
}

export const filterParameters = ['verified', 'hasOrders', 'joinedFrom', 'joinedTo'] as const;

/** Undefined if none is set. Faults are added to the errors. */
export function parseFilters(values: QueryValues, errors: ParameterProblem[]): Filters | undefined {
  const fault = (parameter: string, detail: string): void => {
    errors.push({ parameter, code: 'invalid-filter', detail: `${parameter} ${detail}` });
  };
  const filters: Filters = {};
  for (const name of ['verified', 'hasOrders'] as const) {
    const text = values.get(name);
    if (text === 'true' || text === 'false') filters[name] = text === 'true';
    else if (text !== undefined) fault(name, 'must be true or false.');
  }
  for (const name of ['joinedFrom', 'joinedTo'] as const) {
    const text = values.get(name);
    if (text === undefined) continue;
    const instant = text === null ? undefined : parseInstant(text);
    if (instant === undefined) fault(name, instantRule);
    else filters[name] = instant;
  }
  const { joinedFrom = -Infinity, joinedTo = Infinity } = filters;
  if (joinedFrom > joinedTo) fault('joinedFrom', 'must not be later than joinedTo.');
  return Object.keys(filters).length > 0 ? filters : undefined;
}

const instantRule =
  'must be a date such as 2024-03-01, or a date and time with a zone such as 2024-03-01T10:00:00Z.';

/** The first and the last instant that a customer can have been created at. */
export const calendar = {
  first: Date.parse('0001-01-01T00:00Z'),
  last: Date.parse('9999-12-31T23:59:59.999Z'),
};

const instantShape =
  /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Undefined if there is no such instant. */
function parseInstant(text: string): number | undefined {
  const [, date, minute = '00:00', second = '00', fraction = '', zone = 'Z'] =
    instantShape.exec(text) ?? [];
  if (date === undefined || Number.isNaN(Date.parse(`${date}T${minute}:${second}Z`))) {
    return undefined;
  }
  // Date.parse() turns 30 February into 1 March, and takes 24:00.
  if (new Date(date).toISOString().slice(0, 10) !== date || minute.startsWith('24'))
    return undefined;
  // Everybody is created at a whole millisecond, so both bounds mean the next one.
  const milliseconds = Math.ceil(Number(`0.${fraction || '0'}`) * 1_000);
  const instant = Date.parse(`${date}T${minute}:${second}${zone}`) + milliseconds;
  return instant >= calendar.first && instant <= calendar.last ? instant : undefined;
}

/** Equal for equal filters; empty for none. Without spaces. */
export const filtersKey = (filters: Filters | undefined): string =>
  filters ? filterParameters.map((name) => filters[name] ?? '').join(',') : '';

/** A query as the audit records it: with its filters as in the API. */
export const asRecorded = <Query extends { filters?: Filters }>({ filters, ...query }: Query) => ({
  ...query,
  ...(filters && { filters: filtersToJson(filters) }),
});

function filtersToJson(filters: Filters): Record<string, boolean | string> {
  const { joinedFrom, joinedTo, ...flags } = filters;
  return {
    ...flags,
    ...(joinedFrom !== undefined && { joinedFrom: new Date(joinedFrom).toISOString() }),
    ...(joinedTo !== undefined && { joinedTo: new Date(joinedTo).toISOString() }),
  };
}

/** Whether a customer passes. */
export function passes(customer: WireCustomer, filters: Filters): boolean {
  const { verified, hasOrders, joinedFrom = -Infinity, joinedTo = Infinity } = filters;
  const created = Date.parse(customer.created_at);
  return (
    (verified === undefined || customer.is_verified === verified) &&
    (hasOrders === undefined || customer.total_orders > 0 === hasOrders) &&
    created >= joinedFrom &&
    created < joinedTo
  );
}

/** The instant of place 0. */
export const placeEpoch = Date.UTC(2000);

/**
 * The places of those who joined between the instants; undefined for everybody's. From 1931 to 2068, a place is never
 * rounded to another millisecond: clientele.place().
 */
export function rangeOf({ joinedFrom, joinedTo }: Filters): Range | undefined {
  if (joinedFrom === undefined && joinedTo === undefined) return undefined;
  return {
    from: joinedFrom === undefined ? -Infinity : joinedFrom - placeEpoch,
    to: joinedTo === undefined ? Infinity : joinedTo - placeEpoch,
  };
}

export function flagsOf({ verified, hasOrders }: Filters): Flags | undefined {
  if (verified === undefined && hasOrders === undefined) return undefined;
  return {
    ...(verified !== undefined && { verified }),
    ...(hasOrders !== undefined && { hasOrders }),
  };
}
