/** Why a record is rejected. The rules are a closed list, documented in docs/import.md. */

export const rules = {
  // About a whole record.
  utf8: 'is not valid UTF-8',
  nul: 'contains a NUL character',
  columns: 'does not have as many cells as the header',
  'line-break': 'contains a line break; is a quote not closed?',
  quote: 'has an unclosed quote, or text after a closing quote',
  'record-too-long': 'is longer than 1 MiB',
  json: 'is not valid JSON',
  'not-an-object': 'is JSON, but not an object',
  op: 'has an op that is not allowed here',
  refused: 'was refused by the database',
  // About one field.
  required: 'must not be empty',
  'null-word': 'looks like a missing value; for an empty cell, see --null',
  'spreadsheet-error': 'is an error of a spreadsheet',
  'spreadsheet-number': 'lost digits in a spreadsheet; export the column as text',
  'too-long': 'has too many characters',
  type: 'must be a string, a number, a boolean or null; for a nested value, see --map',
  uuid: 'is not a UUID; see --id-column',
  email: 'is not an e-mail address',
  boolean: 'is neither true nor false',
  'whole-number': 'is not a whole number; use lifetime_value for amounts with decimals',
  'number-ambiguous': 'could be thousands or decimals',
  'number-range': 'is out of range',
  amount: 'is not an amount with at most two decimals',
  currency: 'is in another currency than the first amounts; see --currency',
  date: 'is not in a supported date format',
  'date-ambiguous': 'could start with the day or the month; see --dates',
  'date-range': 'is not a valid date or time',
  'date-future': 'is in the future',
} as const;

export type Rule = keyof typeof rules;

/** There is one instance per rule, so parsing a bad value allocates nothing. */
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
  /** The column's name in the file; empty if the whole record is rejected. */
  column: string;
  rule: Rule;
  /** The whole record. */
  source?: Buffer | undefined;
  /** Says more than the rule about this record. */
  detail?: string;
}

export const explainReject = ({ rule, detail }: Reject): string =>
  detail === undefined ? rules[rule] : `${rules[rule]} (${detail})`;
