/** The wire types of `index.ts` as JSON Schema, for the OpenAPI document and for tests. */
import Type from 'typebox';
import {
  contactFields,
  fieldOf,
  wireFields,
  type customerFields,
  type CustomerField,
  type FieldName,
  type Kind,
} from './customer-fields.ts';
import {
  limits,
  parameterProblemCodes,
  problems,
  timelineUnits,
  type ProblemCode,
} from './index.ts';

const timestamp = {
  format: 'date-time',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`,
};

/** Without what is undefined. */
const known = <T extends object>(options: T) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };

const ofKind = {
  uuid: (options: Type.TSchemaOptions) => Type.String({ format: 'uuid', ...options }),
  text: (options: Type.TSchemaOptions, { min, max }: CustomerField) =>
    Type.String(known({ minLength: min, maxLength: max, ...options })),
  flag: (options: Type.TSchemaOptions) => Type.Boolean(options),
  integer: (options: Type.TSchemaOptions, { min, max }: CustomerField) =>
    Type.Integer(known({ minimum: min, maximum: max, ...options })),
  instant: (options: Type.TSchemaOptions) => Type.String({ ...timestamp, ...options }),
};
type Schemas = { [K in Kind]: ReturnType<(typeof ofKind)[K]> };
type SchemaOf<F extends CustomerField> = F extends { nullable: true }
  ? Type.TUnion<[Schemas[F['kind']], Type.TNull]>
  : Schemas[F['kind']];

function schemaOf(field: CustomerField): Type.TSchema {
  const about = known({ description: field.about });
  const schema = ofKind[field.kind];
  return field.nullable
    ? Type.Union([schema({}, field), Type.Null()], about)
    : schema(about, field);
}

export const CustomerSchema = Type.Object(
  Object.fromEntries(wireFields.map((name) => [name, schemaOf(fieldOf(name))])) as {
    [Name in FieldName]: SchemaOf<(typeof customerFields)[Name]>;
  },
  { title: 'Customer', additionalProperties: false },
);

export const PaginationSchema = Type.Object(
  {
    page: Type.Integer({ minimum: limits.page.min, maximum: limits.page.max }),
    per_page: Type.Integer({ minimum: limits.perPage.min, maximum: limits.perPage.max }),
    total: Type.Integer({
      minimum: 0,
      description: 'The exact number of matching customers, from the same snapshot as `data`.',
    }),
  },
  { title: 'Pagination', additionalProperties: false },
);

const hidden = Type.Optional(
  Type.Array(Type.Enum(contactFields), {
    description:
      'The fields that are hidden from the caller, who lacks the scope `customers:contact`. They have the same ' +
      'value in every customer, whether set or not: `email_address` is empty, `phone_number` null. Searches ' +
      'by such a caller look at names and companies only. Absent if nothing is hidden.',
  }),
);

export const CustomerListSchema = Type.Object(
  { data: Type.Array(CustomerSchema), pagination: PaginationSchema, hidden },
  { title: 'CustomerList', additionalProperties: false },
);

export const CustomerDetailSchema = Type.Object(
  { data: CustomerSchema, hidden },
  { title: 'CustomerDetail', additionalProperties: false },
);

export const SuggestionsSchema = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          search: Type.String({ description: 'The search, with some of its words replaced.' }),
          total: Type.Integer({
            minimum: 1,
            description: 'The exact number of customers that it matches.',
          }),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: limits.suggestions.max,
        description:
          'The best one first. Empty if the search has more than a few matches, or if there is nothing better to try.',
      },
    ),
  },
  { title: 'Suggestions', additionalProperties: false },
);

export const TimelineSchema = Type.Object(
  {
    data: Type.Object(
      {
        total: Type.Integer({
          minimum: 0,
          description:
            'The exact number of matching customers, which is also the sum of all counts.',
        }),
        exact: Type.Boolean({
          description:
            'False if customers may be counted in another period than their own, also in one that has nobody.',
        }),
        unit: Type.Enum(timelineUnits, {
          description: 'The length of a period. A week starts on Monday.',
        }),
        buckets: Type.Array(
          Type.Object(
            {
              from: Type.String({ ...timestamp, description: 'When the period starts, in UTC.' }),
              count: Type.Integer({ minimum: 0, description: 'How many joined in it.' }),
              above: Type.Integer({
                minimum: 0,
                description: 'How many joined later: those on the pages before.',
              }),
            },
            { additionalProperties: false },
          ),
          { description: 'The newest period first, without gaps. Empty if nobody matches.' },
        ),
      },
      { additionalProperties: false },
    ),
  },
  { title: 'Timeline', additionalProperties: false },
);

export const ParameterProblemSchema = Type.Object(
  {
    parameter: Type.String({ description: 'The name of the invalid parameter.' }),
    code: Type.Enum(parameterProblemCodes),
    detail: Type.String({
      description: 'What the parameter accepts. Never contains the value that was sent.',
    }),
  },
  { title: 'ParameterProblem', additionalProperties: false },
);

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri-reference' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String(),
    code: Type.Enum(Object.keys(problems) as ProblemCode[]),
    request_id: Type.String({
      description: 'Also in the X-Request-Id header. Quote it when you contact support.',
    }),
    errors: Type.Optional(
      Type.Array(ParameterProblemSchema, {
        description: 'Every invalid parameter of the request.',
      }),
    ),
  },
  { title: 'Problem', additionalProperties: false },
);
