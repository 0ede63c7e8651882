import type { Fault } from './faults.ts';

/** A record as written in the file, not yet validated. Positions refer to the decompressed data. */
export interface SourceRecord {
  /** The line it starts on, counted from 1. */
  line: number;
  /** Where the next one starts. */
  nextLine: number;
  nextByte: number;
  /** Contains the record as in the file, in UTF-8; undefined if it is too long. See `rawOf`. */
  data?: Buffer | undefined;
  /** Where in the data it starts, and ends without its line end. */
  from: number;
  to: number;
  /** CSV: null is an empty cell without quotes. JSON: any value. */
  cells: unknown[];
  /** JSON: the keys of the cells. CSV has one header for all records. */
  keys?: string[];
  /** Set when the record as a whole cannot be read. */
  fault?: Fault;
  /** CSV: the cell with the fault, counted from 0, if it is known. */
  faultyCell?: number;
  /** JSON: the character where it stops being valid, counted from 1, if it is known. */
  faultyCharacter?: number | undefined;
}

/** The record as in the file. Made only when it is needed, because for every record it would take long. */
export const rawOf = ({ data, from, to }: Pick<SourceRecord, 'data' | 'from' | 'to'>) =>
  data?.subarray(from, to);

export interface Position {
  byte: number;
  line: number;
}

/** Splits bytes into records. `last`: no more data follows. */
export interface RecordReader {
  read(chunk: Buffer, last: boolean): Iterable<SourceRecord>;
}

/** Far above any customer: a longer record means an unclosed quote, or a file that is not a table. */
export const maxRecordBytes = 1_048_576;

export function countOccurrences(of: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(of); at >= 0; at = text.indexOf(of, at + 1)) count += 1;
  return count;
}
