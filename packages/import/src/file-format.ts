/** How a file is written. */
import type { CsvFormat } from './csv-reader.ts';
import type { Position } from './source-record.ts';

export type FileFormat = NdjsonFormat | CsvFileFormat;

interface NdjsonFormat {
  kind: 'ndjson';
  /** Where the first record starts. */
  start: Position;
}

interface CsvFileFormat extends CsvFormat {
  kind: 'csv';
  start: Position;
  header: string[];
  /** Where the header starts; undefined if the file has none. */
  headerStart: number | undefined;
  /** The header is quoted, so the file quotes every cell, and `""` is an empty cell. */
  quotesAll: boolean;
}
