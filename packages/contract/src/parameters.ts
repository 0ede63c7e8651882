/** The query parameters of the OpenAPI document. */
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

const searchParameter = {
  name: 'search',
  in: 'query',
  description:
    'Each term must occur in the name, e-mail address, company or phone number; without the ' +
    'scope `customers:contact`, in the name or company. Accents, ' +
    'case and apostrophes are ignored, and there are no wildcards. A blank value lists ' +
    'all customers. ' +
    `At most ${limits.search.maxTerms} terms.`,
  schema: { type: 'string', default: '', maxLength: limits.search.maxCodePoints },
};

export const listParameters = [
  integerParameter('page', limits.page, 'Page number, in decimal digits.'),
  integerParameter(
    'perPage',
    limits.perPage,
    'Page size. Values out of range are rejected, not clamped. `per_page` is accepted as ' +
      'an alias; send only one of the two.',
  ),
  searchParameter,
];

/** The parameter of suggestions. */
export const suggestedFor = {
  ...searchParameter,
  description: 'A search, as for the list. There is nothing to suggest for a blank one.',
};
