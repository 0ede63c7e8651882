/** What a record does. A delete that is read as a change would keep, or bring back, a customer. */
import { foldName, quoted } from './column-names.ts';
import { isFalse } from './fields.ts';

const ops = ['upsert', 'delete', 'erase'] as const;
export type Op = (typeof ops)[number];

export interface NotAllowed {
  detail: string | undefined;
}

/** Whether a column, other than `op`, may say that a record is deleted: `Op`, `__deleted`, `deleted_at`. */
export const mayDelete = (name: string): boolean =>
  name !== 'op' && /^(?:op|(?:is)?deleted(?:at|on|date)?)$/.test(foldName(name));

interface Names {
  names: readonly string[];
  /** Those of them that `mayDelete`. */
  deleting: readonly number[];
}

/** `deletes`: whether the record may delete. */
export function readOp(
  cells: readonly unknown[],
  { names, deleting }: Names,
  deletes: boolean,
): Op | NotAllowed {
  const at = names.indexOf('op');
  const op = ops.find((each) => each === cells[at]);
  if (op !== undefined && (op === 'upsert' || deletes)) return op;
  if (deletes && isDebezium(names)) {
    return {
      detail: 'an envelope of Debezium; unwrap it with the transform ExtractNewRecordState',
    };
  }
  if (at >= 0 && cells[at] !== null) {
    return { detail: deletes ? `it must be ${ops.join(', ')}` : undefined };
  }
  const other = deletes && deleting.find((i) => isOp(names[i]!) || isDeleted(cells[i]));
  return typeof other === 'number'
    ? { detail: `the key ${quoted(names[other]!)} is not read; write "op"` }
    : 'upsert';
}

const isDebezium = (names: readonly string[]): boolean =>
  (names.includes('before') && names.includes('after')) ||
  (names.includes('schema') && names.includes('payload'));

const isOp = (name: string): boolean => foldName(name) === 'op';

/** Anything that does not clearly say no: `true`, `1`, `yes`, a date. */
function isDeleted(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number')
    return value !== null && value !== undefined && value !== false;
  const text = String(value).trim();
  return !isFalse(text) && !emptyTime.test(text) && text !== 'NULL';
}

/** Nothing, or the time that MySQL writes for none. */
const emptyTime = /^[0\s:.-]*$/;

/** Whether a record of a file is about somebody who was deleted. */
export const saysDeleted = (cells: readonly unknown[], { names, deleting }: Names): boolean =>
  deleting.some((i) =>
    isOp(names[i]!)
      ? /^(?:d|del|deleted?|removed?|erased?)$/i.test(String(cells[i]).trim())
      : isDeleted(cells[i]),
  );
