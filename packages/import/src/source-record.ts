import type { Fault } from './faults.ts';

/** A record as it stands in the file, not yet judged. Positions are those after decompression. */
export interface SourceRecord {
  /** Where it starts, counted from 1. */
  line: number;
  /** Where the next one starts. */
  nextLine: number;
  nextByte: number;
  /** CSV: null is an empty cell without quotes. JSON: any value. */
  cells: unknown[];
  /** JSON: the keys of the cells; CSV has one header for all. */
  keys?: string[];
  /** Where the record as a whole is unreadable. */
  fault?: Fault;
}

export interface Position {
  byte: number;
  line: number;
}

/** Cuts bytes into records. `last` says that nothing follows. */
export interface RecordReader {
  read(chunk: Buffer, last: boolean): Iterable<SourceRecord>;
}

/** No customer comes near; a longer record is a quote that was never closed, or no table at all. */
export const maxRecordBytes = 1_048_576;

export function countOf(sign: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count += 1;
  return count;
}
