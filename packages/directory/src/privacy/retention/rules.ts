/** Retention rules: a small JSON file that says which customers are no longer to be kept. */

export interface RetentionRule {
  /** Recorded as the reason of each erasure. */
  name: string;
  /** All must apply. */
  conditions: Condition[];
}

export type Condition =
  | { kind: 'no_order_for' | 'older_than'; period: string }
  | { kind: 'created_before'; date: string }
  | { kind: 'is_verified'; value: boolean };

type Kind = Condition['kind'];

export class RetentionRulesError extends Error {
  override readonly name = 'RetentionRulesError';
}

/** One of these is needed: a rule without time would erase customers of today. */
const timed: Kind[] = ['no_order_for', 'older_than', 'created_before'];
const kinds: Kind[] = [...timed, 'is_verified'];

/** Throws a RetentionRulesError with everything that is wrong. `today` is a date like 2026-01-31. */
export function parseRetentionRules(text: string, today: string): RetentionRule[] {
  const faults: string[] = [];
  const rules = readRules(text, faults).map((rule, i) => {
    const where = `rule ${i + 1}`;
    if (isObject(rule)) return parseRule(rule, where, today, faults);
    faults.push(
      `${where}: it must be an object, like {"name": "inactive", "older_than": "7 years"}`,
    );
    return { name: '', conditions: [] };
  });
  const repeated = rules.find(
    ({ name }, i) => name !== '' && rules.findIndex((other) => other.name === name) < i,
  );
  if (repeated) faults.push(`the name ${JSON.stringify(repeated.name)} is used twice`);
  if (faults.length > 0) throw new RetentionRulesError(faults.join('\n'));
  return rules;
}

function readRules(text: string, faults: string[]): unknown[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    faults.push(`it is not valid JSON: ${(error as Error).message}`);
    return [];
  }
  const rules = isObject(content) ? content['rules'] : undefined;
  if (isObject(content) && Array.isArray(rules) && Object.keys(content).length === 1) {
    if (rules.length === 0) faults.push('it has no rules');
    return rules;
  }
  faults.push('it must be an object with the list "rules" and nothing else');
  return [];
}

function parseRule(
  { name, ...others }: Record<string, unknown>,
  where: string,
  today: string,
  faults: string[],
): RetentionRule {
  const fault = (text: string): void => void faults.push(`${where}: ${text}`);
  const isNamed = typeof name === 'string' && /^\S.{0,99}$/.test(name);
  if (!isNamed) fault('"name" must be text of 1 to 100 characters');
  const conditions = Object.entries(others).flatMap(([key, value]) => {
    const condition = parseCondition(key, value, today);
    if (typeof condition !== 'string') return [condition];
    fault(condition);
    return [];
  });
  if (!timed.some((kind) => kind in others)) {
    fault(`it needs one of ${timed.join(', ')}; otherwise it would erase new customers as well`);
  }
  return { name: isNamed ? name : '', conditions };
}

/** The condition, or what is wrong with it. */
function parseCondition(key: string, value: unknown, today: string): Condition | string {
  const kind = kinds.find((known) => known === key);
  switch (kind) {
    case 'no_order_for':
    case 'older_than':
      return isPeriod(value)
        ? { kind, period: value }
        : `"${kind}" must be a period like "7 years", "18 months" or "90 days"`;
    case 'created_before':
      return isDate(value) && value <= today
        ? { kind, date: value }
        : `"${kind}" must be a date like "2019-01-31" that is not in the future`;
    case 'is_verified':
      return typeof value === 'boolean' ? { kind, value } : `"${kind}" must be true or false`;
    default:
      return `${JSON.stringify(key)} is not a condition; known are ${kinds.join(', ')}`;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPeriod = (value: unknown): value is string =>
  typeof value === 'string' && /^[1-9]\d{0,3} (day|month|year)s?$/.test(value);

const isDate = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString().startsWith(value);
