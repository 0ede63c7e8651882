/** What a record of a feed does. A delete that is read as a change would keep, or bring back, a customer. */
import { foldName, quoted } from './column-names.ts';

const ops = ['upsert', 'delete', 'erase'] as const;
export type Op = (typeof ops)[number];

export interface NotAllowed {
  detail: string | undefined;
}

const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 't';

/** `deletes`: whether the record may delete. */
export function readOp(
  cells: readonly unknown[],
  names: readonly string[],
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
  const other = deletes ? otherSpelling(cells, names) : undefined;
  return other === undefined
    ? 'upsert'
    : { detail: `the key ${quoted(other)} is not read; write "op"` };
}

const isDebezium = (names: readonly string[]): boolean =>
  (names.includes('before') && names.includes('after')) ||
  (names.includes('schema') && names.includes('payload'));

/** `Op`, or what other programs write for a delete, such as `"__deleted":"true"`. */
const otherSpelling = (cells: readonly unknown[], names: readonly string[]): string | undefined =>
  names.find((name, i) => {
    if (name === 'op') return false;
    const folded = foldName(name);
    return folded === 'op' || (/^(?:is)?deleted$/.test(folded) && isTrue(cells[i]));
  });
