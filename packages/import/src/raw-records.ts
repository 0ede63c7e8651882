/** The records of a batch as in the file, for those that the database refuses. */
import { rawOf, type SourceRecord } from './source-record.ts';

/** Four lists of numbers and references: an object for each record would stay on the heap until the batch is written. */
export class RawRecords {
  readonly #lines: number[] = [];
  readonly #data: (Buffer | undefined)[] = [];
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  add({ line, data, from, to }: Pick<SourceRecord, 'line' | 'data' | 'from' | 'to'>): void {
    this.#lines.push(line);
    this.#data.push(data);
    this.#from.push(from);
    this.#to.push(to);
  }

  at(i: number) {
    return {
      line: this.#lines[i]!,
      source: rawOf({ data: this.#data[i], from: this.#from[i]!, to: this.#to[i]! }),
    };
  }

  without(taken: ReadonlySet<number>): RawRecords {
    const kept = new RawRecords();
    for (const [i, line] of this.#lines.entries()) {
      if (taken.has(i)) continue;
      kept.add({ line, data: this.#data[i], from: this.#from[i]!, to: this.#to[i]! });
    }
    return kept;
  }
}
