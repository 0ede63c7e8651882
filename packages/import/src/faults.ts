/** Why a record is rejected. Rules are a closed list, each explained in docs/import.md. */

export const rules = {
  // Of a whole record.
  utf8: 'is not UTF-8; try --encoding windows-1252',
  nul: 'holds a NUL character',
  columns: 'has another number of columns than the header',
  quote: 'has a quote that is not closed, or text after a closing quote',
  'record-too-long': 'is longer than 1 MiB',
  json: 'is not JSON',
  'not-an-object': 'is JSON, but not an object',
  op: 'has an op that is not known here',
  refused: 'was refused by the database',
  // Of one field.
  required: 'must not be empty',
  'too-long': 'has too many characters',
  type: 'has a JSON type that does not fit',
  uuid: 'is not a UUID; see --id-column',
  email: 'is not an e-mail address',
  boolean: 'is neither true nor false',
  'whole-number': 'is not a whole number; an amount with decimals is lifetime_value',
  'number-ambiguous': 'may be thousands or a fraction',
  'number-range': 'is out of range',
  amount: 'is not an amount with at most two decimals',
  date: 'is not a date that is understood',
  'date-ambiguous': 'may be day or month first; see --dates',
  'date-range': 'is not a day of the calendar',
} as const;

export type Rule = keyof typeof rules;

/** One object for each rule, so that a good value (a string) and a fault are told apart at no cost. */
export class Fault {
  readonly rule: Rule;
  constructor(rule: Rule) {
    this.rule = rule;
  }
}

export const fault = Object.fromEntries(
  Object.keys(rules).map((rule) => [rule, new Fault(rule as Rule)]),
) as Record<Rule, Fault>;

export interface Reject {
  line: number;
  /** As the file calls it; empty where the whole record is at fault. */
  column: string;
  rule: Rule;
  value: string;
}
