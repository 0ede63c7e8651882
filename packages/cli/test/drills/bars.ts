/** What a drill has seen, next to what it must see. */
interface Row {
  measure: string;
  seen: string;
  bar: string;
  holds: boolean;
}

export class Bars {
  /** Prints a step of the drill. */
  readonly say: (line: string) => void;
  readonly #rows: Row[] = [];

  constructor(say: (line: string) => void) {
    this.say = say;
  }

  /** A text that must be exactly this one. */
  equal(measure: string, seen: unknown, bar: unknown): void {
    this.#rows.push({ measure, seen: String(seen), bar: String(bar), holds: seen === bar });
  }

  atMost(measure: string, seen: number, most: number, unit = ''): void {
    const write = (value: number): string => `${Math.round(value * 100) / 100}${unit}`;
    this.#rows.push({ measure, seen: write(seen), bar: `≤ ${write(most)}`, holds: seen <= most });
  }

  /** A count without which the drill would prove nothing. */
  atLeast(measure: string, seen: number, least: number): void {
    this.#rows.push({ measure, seen: String(seen), bar: `≥ ${least}`, holds: seen >= least });
  }

  /** No faults; the first ones are printed. */
  none(measure: string, faults: readonly string[], of?: number): void {
    for (const fault of faults.slice(0, 5)) this.say(`${measure}: ${fault}`);
    const seen = of === undefined ? `${faults.length}` : `${faults.length} of ${of}`;
    this.#rows.push({ measure, seen, bar: '0', holds: faults.length === 0 });
  }

  allHold(): boolean {
    return this.#rows.every(({ holds }) => holds);
  }

  table(): string {
    const head = { measure: 'Measure', seen: 'Seen', bar: 'Bar', verdict: '' };
    const lines = [
      head,
      ...this.#rows.map((row) => ({ ...row, verdict: row.holds ? 'ok' : 'MISSED' })),
    ];
    const width = (column: keyof typeof head): number =>
      Math.max(...lines.map((line) => line[column].length));
    const columns = (['measure', 'seen', 'bar'] as const).map(
      (column) => [column, width(column)] as const,
    );
    const text = lines.map((line) =>
      [...columns.map(([column, size]) => line[column].padEnd(size)), line.verdict]
        .join('  ')
        .trimEnd(),
    );
    return `\n${text.join('\n')}\n`;
  }
}
