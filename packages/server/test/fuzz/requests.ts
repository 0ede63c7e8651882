/** Random requests, each with what its response must be, given all rows. */
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '@clientele/sandbox/testing';
import type { Row } from './customer.ts';
import {
  expectedCustomer,
  expectedLists,
  selections,
  sortable,
  type ListRequest,
  type Selection,
  type Sortable,
} from './directory.ts';
import { wordsOf } from './fold.ts';
import { randomInstant } from './instants.ts';
import { numberIn } from './search.ts';
import { misspelt, randomSearch } from './searches.ts';
import { timelineFault, type Timeline } from './timeline.ts';

export interface Response {
  status: number;
  body: unknown;
}

export interface Request {
  kind: string;
  path: string;
  masked: boolean;
  /** Whether the rows are preferred before the total is known. */
  rowsFirst?: boolean;
  /** The codes of the problems, if the request has to be refused. */
  refusals?: string[];
  /** What is wrong with the response, if the directory has been in these states, one after the other. */
  fault(states: Row[][], response: Response): unknown;
}

export interface Switches {
  orders: ReadonlySet<Sortable>;
  masking: boolean;
}

export function randomRequest(rows: Row[], switches: Switches, random: Random): Request {
  const masked = random.chance(0.35);
  const request = random.pick([list, list, list, list, timeline, timeline, lookup, suggestions])(
    rows,
    masked,
    switches,
    random,
  );
  const codes = [
    ...(masked && !switches.masking ? ['masking-not-ready'] : []),
    ...(request.refusals ?? []),
  ];
  return codes.length > 0 ? refused(request, codes) : request;
}

const refused = (request: Request, codes: string[]): Request => ({
  ...request,
  kind: codes.join(' or '),
  fault: (_, { status, body }) =>
    status >= 400 && codes.includes((body as { code: string }).code)
      ? undefined
      : `it is not refused with ${codes.join(' or ')}`,
});

type Kind = (rows: Row[], masked: boolean, switches: Switches, random: Random) => Request;

/** For what is answered from one state. */
const inOneState =
  (fault: (rows: Row[], response: Response) => unknown): Request['fault'] =>
  (states, response) => {
    const faults = states.map((rows) => fault(rows, response));
    return faults.includes(undefined) ? undefined : faults[0];
  };

const list: Kind = (rows, masked, switches, random) => {
  const { selection, parameters } = randomSelection(rows, masked, random);
  const perPage = random.pick([1, 2, 3, 7, 25, 25, 60, 100]);
  const pages = Math.ceil(rows.length / perPage) + 1;
  const page = random.chance(0.02)
    ? 1_000_000_000
    : random.chance(0.5)
      ? 1
      : 1 + random.below(pages);
  const by = random.chance(0.5) ? 'created_at' : random.pick(sortable);
  const sort = { by, descending: random.chance(0.6) };
  if (page !== 1 || random.chance(0.3)) parameters.push(`page=${page}`);
  if (perPage !== 25) parameters.push(`${random.pick(['perPage', 'per_page'])}=${perPage}`);
  if (by !== 'created_at' || !sort.descending || random.chance(0.2)) {
    parameters.push(`sort=${sort.descending ? '-' : ''}${by}`);
  }
  const wanted: ListRequest = { ...selection, page, perPage, sort };
  const request: Request = {
    kind: [
      masked ? 'masked list' : 'list',
      ...(selection.search === undefined ? [] : ['with search']),
      ...(by === 'created_at' ? [] : [`by ${by}`]),
    ].join(' '),
    path: `/v3/customers?${parameters.join('&')}`,
    masked,
    rowsFirst: random.chance(0.3),
    refusals: tooLong(selection.search),
    fault: inOneState((now, { status, body }) => {
      if (status !== 200) return body;
      const expected = expectedLists(now, wanted);
      return expected.some((one) => isDeepStrictEqual(one, body))
        ? undefined
        : difference(expected[0], body);
    }),
  };
  const on = by === 'created_at' || switches.orders.has(by);
  request.refusals!.push(...(on ? [] : ['sort-not-available']));
  return request;
};

/** More than 256 code points or eight terms, of which a phone number is one. */
const tooLong = (search = ''): string[] =>
  Array.from(wordsOf(search).join(' ')).length > 256 ||
  (wordsOf(search).length > 8 && numberIn(search) === undefined)
    ? ['search-too-long']
    : [];

/** Short: who is missing, who is too many, or what else differs. */
function difference(expected: unknown, got: unknown): unknown {
  const [a, b] = [expected, got] as { data: Row[]; pagination: { total: number } }[];
  const without = (some: Row[], others: Row[]) =>
    some.filter(({ uuid }) => !others.some((other) => other.uuid === uuid)).slice(0, 3);
  const missing = without(a!.data, b!.data);
  const extra = without(b!.data, a!.data);
  const totals = { expected: a!.pagination.total, got: b!.pagination.total };
  return {
    totals,
    missing,
    extra,
    ...(missing.length + extra.length > 0 ? {} : { expected, got }),
  };
}

const timeline: Kind = (rows, masked, _switches, random) => {
  const { selection, parameters } = randomSelection(rows, masked, random);
  const buckets = random.pick([1, 2, 3, 12, 50, 120, 120, 500]);
  const exact = random.chance(0.7);
  if (buckets !== 120) parameters.push(`buckets=${buckets}`);
  if (!exact || random.chance(0.2)) parameters.push(`exact=${exact}`);
  return {
    kind: masked ? 'masked timeline' : 'timeline',
    path: `/v3/customers/timeline?${parameters.join('&')}`,
    masked,
    refusals: tooLong(selection.search),
    fault: inOneState((now, { status, body }) => {
      if (status !== 200) return body;
      const { data } = body as { data: Timeline };
      const faults = selections(now, selection).map((some) =>
        timelineFault(some, buckets, exact, data),
      );
      return faults.includes(undefined) ? undefined : { fault: faults[0], data };
    }),
  };
};

const lookup: Kind = (rows, masked, _switches, random) => {
  const unknown = random.pick(['00000000-0000-4000-8000-00000000ffff', 'nobody', '%C3%BC', '1']);
  const known = rows.length > 0 && random.chance(0.8) ? random.pick(rows).uuid : unknown;
  const id = random.chance(0.3) ? known.toUpperCase() : known;
  return {
    kind: masked ? 'masked lookup' : 'lookup',
    path: `/v3/customers/${id}`,
    masked,
    fault: inOneState((now, { status, body }) => {
      const expected = expectedCustomer(now, id, masked);
      if (!expected) return status === 404 ? undefined : `status ${status}, not 404`;
      return isDeepStrictEqual(body, expected) ? undefined : { expected, body };
    }),
  };
};

/** Which words are suggested depends on a sample; how many matches each has does not. They are counted one by one. */
const suggestions: Kind = (rows, masked, _switches, random) => {
  const search = random.chance(0.5) ? misspelt(random) : randomSearch(rows, random);
  return {
    kind: masked ? 'masked suggestions' : 'suggestions',
    path: `/v3/customers/suggestions?search=${encodeURIComponent(search)}`,
    masked,
    refusals: tooLong(search),
    fault(states, { status, body }) {
      if (status !== 200) return body;
      const { data } = body as { data: { search: string; total: number }[] };
      const counts = (text: string) =>
        states.map((now) => selections(now, { masked, search: text })[0]!.length);
      const fewest = Math.min(...counts(search));
      const wrong = data.filter(
        (one) => one.total < 5 || one.total <= fewest || !counts(one.search).includes(one.total),
      );
      const tooMany = data.length > (fewest > 5 ? 0 : 5);
      return tooMany || wrong.length > 0 ? { suggested: data, fewest, wrong } : undefined;
    },
  };
};

function randomSelection(
  rows: Row[],
  masked: boolean,
  random: Random,
): { selection: Selection; parameters: string[] } {
  const selection: Selection = { masked };
  const parameters: string[] = [];
  if (random.chance(0.7)) {
    selection.search = random.chance(0.05) ? '  ' : randomSearch(rows, random);
    parameters.push(`search=${encodeURIComponent(selection.search)}`);
  }
  for (const flag of ['verified', 'hasOrders'] as const) {
    if (!random.chance(0.2)) continue;
    selection[flag] = random.chance(0.5);
    parameters.push(`${flag}=${selection[flag]}`);
  }
  const bounds = [randomInstant(rows, random), randomInstant(rows, random)].toSorted(
    (a, b) => a.ms - b.ms,
  );
  for (const [i, bound] of (['joinedFrom', 'joinedTo'] as const).entries()) {
    if (!random.chance(0.25)) continue;
    selection[bound] = bounds[i]!.ms;
    parameters.push(`${bound}=${encodeURIComponent(bounds[i]!.text)}`);
  }
  return { selection, parameters };
}
