/** Says what `examine` has found, and whether the import may continue. */
import { acceptable, type Acceptable, type Accepted } from './accept.ts';
import { ImportError } from './import-error.ts';
import type { Table } from './table.ts';

export interface Finding {
  count: number;
  /** How many of them count towards the limit. */
  weighed: number;
  /** The first of them, see `placeOf`. */
  place: number | null;
}

/** Found by comparing people, see `find-people.ts`. */
export type InDatabase =
  | 'repeated-ids'
  | 'similar-ids'
  | 'other-people'
  | 'known-people'
  | 'known-addresses'
  | 'moved'
  | 'twins';
type Kind = InDatabase | 'undecodable' | 'unused-names' | 'deleted-people';
export type Found = Record<Kind, Finding>;

const lines = 2 ** 40;
/** One number for the file and the line of a record, in their order. */
export const placeOf = (file: number, line: number): number => file * lines + line;

/** More than this share of the records, and more than `atLeast`, stops the import. */
interface Limit {
  share: number;
  atLeast?: number;
}

const limits: Record<Kind & Acceptable, Limit> = {
  'repeated-ids': { share: 0.001 },
  'other-people': { share: 0.001 },
  'similar-ids': { share: 0.001 },
  'known-people': { share: 0.001 },
  // Families and offices share addresses.
  'known-addresses': { share: 0.05, atLeast: 1 },
  undecodable: { share: 0.01, atLeast: 1 },
  'unused-names': { share: 0.01 },
  'deleted-people': { share: 0 },
};

const texts: Record<Kind, [one: string, many: string, advice?: string]> = {
  'repeated-ids': [
    'identifier is that of different people, who would become one customer',
    'identifiers are those of different people, who would become one customer each',
  ],
  'other-people': [
    'customer would get another name and so become somebody else',
    'customers would get another name and so become somebody else',
  ],
  'similar-ids': [
    'identifier differs from another one of the same person only in case or leading zeros, and would double a customer',
    'identifiers differ from others of the same people only in case or leading zeros, and would double customers',
  ],
  'known-people': [
    'new customer has the name and the address of an existing one, and is probably the same under another identifier',
    'new customers have the name and the address of existing ones, and are probably the same under other identifiers',
    'If earlier files of this system were imported with --id-column NAME:…, add the same NAME and the column here',
  ],
  'known-addresses': [
    'new customer has the address of an existing one with another name',
    'new customers have the address of existing ones with other names',
  ],
  undecodable: [
    'record cannot be decoded and would be rejected; see --encoding',
    'records cannot be decoded and would be rejected; see --encoding',
  ],
  'unused-names': [
    'record has a first or last name that is not in its name and would be lost',
    'records have a first or last name that is not in their name and would be lost',
    'To join first and last names, leave out the column with the whole names: --map Name=ignore',
  ],
  'deleted-people': [
    'record says that it is deleted, and would be imported',
    'records say that they are deleted, and would be imported',
    'Leave them out of the file; to delete customers, see: clientele sync --help',
  ],
  moved: [
    'identifier has several addresses under one name, of which only the newest is kept',
    'identifiers have several addresses under one name, of which only the newest is kept',
  ],
  twins: [
    'person is in the files under several identifiers, and would be several customers',
    'people are in the files under several identifiers, and would be several customers each',
  ],
};

export function judge(
  found: Found,
  { read, different }: { read: number; different: string | undefined },
  tables: readonly Table[],
  { accept, log }: { accept: Accepted; log: (line: string) => void },
): void {
  const stopping: Acceptable[] = [];
  const reasons: string[] = [];
  for (const kind of Object.keys(texts) as Kind[]) {
    const finding = found[kind];
    if (finding.count === 0) continue;
    const text = describe(kind, finding, tables);
    if (!isAcceptable(kind) || accept.has(kind) || !exceeds(limits[kind], finding.weighed, read)) {
      log(`warning: ${text}`);
    } else {
      stopping.push(kind);
      reasons.push(text);
    }
  }
  if (different !== undefined && accept.has('currencies')) log(`warning: ${different}`);
  else if (different !== undefined) {
    stopping.push('currencies');
    reasons.push(different);
  }
  if (stopping.length > 0) throw refusal(reasons, stopping);
}

export const refusal = (reasons: readonly string[], kinds: readonly Acceptable[]): ImportError =>
  new ImportError(
    `${reasons.join('\n')}\nNothing was written. If this is right, add: --accept ${kinds.join(',')}`,
  );

const exceeds = ({ share, atLeast = 0 }: Limit, count: number, read: number): boolean =>
  count > read * share && count > atLeast;

function describe(kind: Kind, finding: Finding, tables: readonly Table[]): string {
  const [one, many, advice = ''] = texts[kind];
  const { count } = finding;
  return `${count} ${count === 1 ? one : many}${whereIs(finding, tables)}. ${advice}`.trimEnd();
}

/** ` (the first in FILE, line 2)` */
export function whereIs({ count, place }: Finding, tables: readonly Table[]): string {
  if (place === null) return '';
  const at = `in ${tables[Math.floor(place / lines)]!.name}, line ${place % lines}`;
  return count === 1 ? ` (${at})` : ` (the first ${at})`;
}

export const isAcceptable = (text: string): text is Acceptable => text in acceptable;
