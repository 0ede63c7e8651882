/** What single records show before anything is written. */
import { placeOf, type Finding } from './findings.ts';
import { Currencies } from './currencies.ts';
import { saysDeleted } from './feed-op.ts';
import { containsName } from './name-columns.ts';
import type { ParsedRecord, Table } from './table.ts';

type InRecords = 'undecodable' | 'unused-names' | 'deleted-people';

export class RecordEvidence {
  read = 0;
  readonly currencies = new Currencies();
  readonly found: Record<InRecords, Finding> = {
    undecodable: { count: 0, weighed: 0, place: null },
    'unused-names': { count: 0, weighed: 0, place: null },
    'deleted-people': { count: 0, weighed: 0, place: null },
  };

  /** `file`: which of the files it is in. */
  add(parsed: ParsedRecord, file: number, table: Table): void {
    this.read += 1;
    this.currencies.add(parsed, file, table);
    const place = placeOf(file, parsed.record.line);
    const { record, result, matches } = parsed;
    if (!Array.isArray(result)) {
      if (losesName(parsed)) this.#count('unused-names', place);
      if (matches && saysDeleted(record.cells, matches)) this.#count('deleted-people', place);
    } else if (result[0]?.rule === 'utf8') this.#count('undecodable', place);
  }

  #count(kind: InRecords, place: number): void {
    const found = this.found[kind];
    found.count += 1;
    found.weighed += 1;
    found.place ??= place;
  }
}

/** Whether a first or last name is not used, and not in the whole name either. */
function losesName({ record, result, matches }: ParsedRecord): boolean {
  if (Array.isArray(result) || !matches || matches.unusedParts.length === 0) return false;
  const name = result.values.full_name ?? '';
  return matches.unusedParts.some((at) => {
    const part = record.cells[at];
    return typeof part === 'string' && part.trim() !== '' && !containsName(name, part.trim());
  });
}
