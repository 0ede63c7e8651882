/** Values that were imported, but may mean something else. They are counted and reported after the import. */

const suspicions = {
  'local-time': [
    'time in COLUMN has no time zone and was read as UTC',
    'times in COLUMN have no time zone and were read as UTC',
    'For local times, add a zone such as: --timezone Europe/Berlin',
  ],
  wrapped: [
    'value in COLUMN was written as ="…" and imported without it',
    'values in COLUMN were written as ="…" and imported without it',
    '',
  ],
  several: [
    'value in COLUMN has several parts, and only the first was imported',
    'values in COLUMN have several parts, and only the first was imported',
    '',
  ],
  ahead: [
    'time in COLUMN is in the future, so until then older records of the customer are not applied',
    'times in COLUMN are in the future, so until then older records of these customers are not applied',
    'For local times, add a zone such as: --timezone Europe/Berlin',
  ],
  'name-from-email': [
    'customer has no name in COLUMN and is listed by e-mail address',
    'customers have no name in COLUMN and are listed by e-mail address',
    '',
  ],
} as const;

export type Suspicion = keyof typeof suspicions;

export interface Warning {
  suspicion: Suspicion;
  columns: string[];
  count: number;
  /** Of the first such value. */
  line: number;
}

export class Warnings {
  readonly #found = new Map<Suspicion, Warning>();

  add(suspicion: Suspicion, column: string, line: number): void {
    const found = this.#found.get(suspicion);
    if (!found) this.#found.set(suspicion, { suspicion, columns: [column], count: 1, line });
    else {
      found.count += 1;
      if (!found.columns.includes(column)) found.columns.push(column);
    }
  }

  get list(): Warning[] {
    return [...this.#found.values()];
  }
}

export function describeWarning({ suspicion, columns, count, line }: Warning): string {
  const [one, many, advice] = suspicions[suspicion];
  const names = columns.map((name) => `"${name}"`).join(', ');
  const what = (count === 1 ? one : many).replace('COLUMN', names);
  const where = count === 1 ? `on line ${line}` : `the first on line ${line}`;
  return `${count} ${what} (${where}). ${advice}`.trimEnd();
}
