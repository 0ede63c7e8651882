/** Says what `examine` has found, and whether the import may continue. */
import { acceptable, type Acceptable, type Accepted } from './accept.ts';
import { ImportError } from './import-error.ts';
import type { Table } from './table.ts';

interface Finding {
  count: number;
  /** How many of them count towards the limit. */
  weighed: number;
  /** The first of them, see `placeOf`. */
  place: number | null;
}

type InDatabase =
  | 'repeated-ids'
  | 'similar-ids'
  | 'other-people'
  | 'known-people'
  | 'known-addresses'
  | 'twins';
export type Found = Record<InDatabase, Finding>;

const lines = 2 ** 40;
/** One number for the file and the line of a record, in their order. */
export const placeOf = (file: number, line: number): number => file * lines + line;

/** More than this share of the records, and more than `atLeast`, stops the import. */
interface Limit {
  share: number;
  atLeast?: number;
}

const limits: Record<Exclude<InDatabase, 'twins'> | 'undecodable', Limit> = {
  'repeated-ids': { share: 0.001 },
  'other-people': { share: 0.001 },
  'similar-ids': { share: 0.001 },
  'known-people': { share: 0.001 },
  // Families and offices share addresses.
  'known-addresses': { share: 0.05, atLeast: 1 },
  undecodable: { share: 0.01, atLeast: 1 },
};

const texts: Record<keyof typeof limits | 'twins', [one: string, many: string]> = {
  'repeated-ids': [
    'identifier is that of different people, who would become one customer',
    'identifiers are those of different people, who would become one customer each',
  ],
  'other-people': [
    'customer would get another name and another address, and so become somebody else',
    'customers would get another name and another address, and so become somebody else',
  ],
  'similar-ids': [
    'identifier differs from another one of the same person only in case or leading zeros, and would double a customer',
    'identifiers differ from others of the same people only in case or leading zeros, and would double customers',
  ],
  'known-people': [
    'new customer has the name and the address of an existing one, and is probably the same under another identifier',
    'new customers have the name and the address of existing ones, and are probably the same under other identifiers',
  ],
  'known-addresses': [
    'new customer has the address of an existing one with another name',
    'new customers have the address of existing ones with other names',
  ],
  undecodable: [
    'record cannot be decoded and would be rejected; see --encoding',
    'records cannot be decoded and would be rejected; see --encoding',
  ],
  twins: [
    'person is in the files under several identifiers, and would be several customers',
    'people are in the files under several identifiers, and would be several customers each',
  ],
};

export function judge(
  found: Found & { read: number; undecodable: number },
  tables: readonly Table[],
  accept: Accepted,
  log: (line: string) => void,
): void {
  const undecodable = { count: found.undecodable, weighed: found.undecodable, place: null };
  const stopping: Acceptable[] = [];
  const reasons: string[] = [];
  for (const kind of Object.keys(texts) as (keyof typeof texts)[]) {
    const finding = kind === 'undecodable' ? undecodable : found[kind];
    if (finding.count === 0) continue;
    const text = describe(kind, finding, tables);
    if (
      kind === 'twins' ||
      accept.has(kind) ||
      !exceeds(limits[kind], finding.weighed, found.read)
    ) {
      log(`warning: ${text}`);
    } else {
      stopping.push(kind);
      reasons.push(text);
    }
  }
  if (stopping.length > 0) throw refusal(reasons, stopping);
}

export const refusal = (reasons: readonly string[], kinds: readonly Acceptable[]): ImportError =>
  new ImportError(
    `${reasons.join('\n')}\nNothing was written. If this is right, add: --accept ${kinds.join(',')}`,
  );

const exceeds = ({ share, atLeast = 0 }: Limit, count: number, read: number): boolean =>
  count > read * share && count > atLeast;

function describe(kind: keyof typeof texts, { count, place }: Finding, tables: readonly Table[]) {
  const [one, many] = texts[kind];
  const where =
    place === null
      ? ''
      : ` (${count === 1 ? '' : 'the first '}in ${tables[Math.floor(place / lines)]!.name}, line ${place % lines})`;
  return `${count} ${count === 1 ? one : many}${where}.`;
}

export const isAcceptable = (text: string): text is Acceptable => text in acceptable;
