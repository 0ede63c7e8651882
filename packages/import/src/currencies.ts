/** The currencies that amounts are in. They are stored without, so all must be in the same one. */
import { placeOf, whereIs, type Finding } from './findings.ts';
import { currencyCode, readMoney } from './numbers.ts';
import type { ParsedRecord, Table } from './table.ts';

export class Currencies {
  readonly #found = new Map<string, Finding>();

  /** `file`: which of the files it is in. */
  add({ record, result, matches }: ParsedRecord, file: number, table: Table): void {
    if (Array.isArray(result) || !matches) return;
    const currency = currencyOf(record.cells, matches.fields);
    if (currency === undefined) return;
    table.currency ??= currency;
    const found = this.#found.get(currency);
    if (found) found.count += 1;
    else this.#found.set(currency, { count: 1, weighed: 1, place: placeOf(file, record.line) });
  }

  /** Undefined unless there are several. */
  describe(tables: readonly Table[]): string | undefined {
    if (this.#found.size < 2) return undefined;
    const list = [...this.#found].map(
      ([currency, found]) => `${found.count} in ${currency}${whereIs(found, tables)}`,
    );
    const [first] = this.#found.keys();
    return (
      `The amounts are in different currencies: ${list.join(', ')}. ` +
      `To reject the others, choose one, such as: --currency ${first}`
    );
  }
}

function currencyOf(
  cells: readonly unknown[],
  fields: readonly (string | undefined)[],
): string | undefined {
  const named = cells[fields.indexOf('currency')];
  if (typeof named === 'string' && named !== '') return currencyCode(named);
  const amount = cells[fields.indexOf('lifetime_value')];
  // Most amounts are plain numbers.
  return typeof amount === 'string' && !/^[\d.,-]*$/.test(amount)
    ? readMoney(amount)?.currency
    : undefined;
}
