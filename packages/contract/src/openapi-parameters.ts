/** The parameters of the OpenAPI document. */
import { sortFields } from './customer-fields.ts';
import { limits } from './index.ts';

const integerParameter = (
  name: string,
  bounds: { min: number; max: number; default: number },
  description: string,
) => ({
  name,
  in: 'query',
  description,
  schema: {
    type: 'integer',
    minimum: bounds.min,
    maximum: bounds.max,
    default: bounds.default,
  },
});

const booleanParameter = (name: string, description: string) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'boolean' },
});

const instantParameter = (name: string, description: string) => ({
  name,
  in: 'query',
  description: `${description} A date, which means its start in UTC, or an ISO 8601 date and time with a zone.`,
  schema: { type: 'string', examples: ['2024-03-01', '2024-03-01T10:00:00+01:00'] },
});

const filterParameters = [
  booleanParameter('verified', 'Only customers who are verified, or only those who are not.'),
  booleanParameter('hasOrders', 'Only customers with at least one order, or only those without.'),
  instantParameter('joinedFrom', 'Only customers created at this time or later.'),
  instantParameter('joinedTo', 'Only customers created before this time.'),
];

const searchParameter = {
  name: 'search',
  in: 'query',
  description:
    'Each term must occur in the name, e-mail address, company or phone number; without the ' +
    'scope `customers:contact`, in the name or company. Accents, ' +
    'case and apostrophes are ignored, and there are no wildcards. A blank value lists ' +
    'all customers. ' +
    `At most ${limits.search.maxTerms} terms, or one phone number in any form.`,
  schema: { type: 'string', default: '', maxLength: limits.search.maxCodePoints },
};

export const timelineParameters = [
  searchParameter,
  ...filterParameters,
  integerParameter('buckets', limits.buckets, 'At most so many periods, in decimal digits.'),
  {
    name: 'exact',
    in: 'query',
    description:
      'Whether every customer has to be counted in the right period. Otherwise the periods of many customers are ' +
      'estimated, which is faster. The total is exact in any case.',
    schema: { type: 'boolean', default: true },
  },
];

export const listParameters = [
  integerParameter('page', limits.page, 'Page number, in decimal digits.'),
  integerParameter(
    'perPage',
    limits.perPage,
    'Page size. Values out of range are rejected, not clamped. `per_page` is accepted as ' +
      'an alias; send only one of the two.',
  ),
  searchParameter,
  ...filterParameters,
  {
    name: 'sort',
    in: 'query',
    description:
      'What to sort by: a field in ascending order, or `-` and a field in descending order. Customers with equal ' +
      'values are sorted by creation time and identifier in the same direction; those without an order come before ' +
      'all others in ascending order of `last_order_at`. Everything but `created_at` has to be switched on by the ' +
      'operator of the directory.',
    schema: {
      type: 'string',
      enum: sortFields.flatMap((field) => [field, `-${field}`]),
      default: '-created_at',
    },
  },
  {
    name: 'Prefer',
    in: 'header',
    description:
      'With `rows-first`, the body may arrive in two pieces: its rows at once, and the total of a search that nobody has ' +
      'counted yet when it is counted. If that fails, the connection is closed before the body ends.',
    schema: { type: 'string', examples: ['rows-first'] },
  },
];

/** The parameter of suggestions. */
export const suggestedFor = {
  ...searchParameter,
  description: 'A search, as for the list. There is nothing to suggest for a blank one.',
};
