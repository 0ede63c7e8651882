/**
 * RFC 4180. A quote opens a cell only at the start of the cell, `""` is a quote inside it, and nothing may
 * follow the closing quote. A quote inside an unquoted cell is an ordinary character. A record with broken
 * quotes is rejected up to the end of its first line, so the lines after it are still read.
 */
import { isUtf8 } from 'node:buffer';
import { fault, type Fault } from './faults.ts';
import { ImportError } from './import-error.ts';
import {
  countOccurrences,
  maxRecordBytes,
  type Position,
  type RecordReader,
  type SourceRecord,
} from './source-record.ts';

const quote = 0x22;
const space = 0x20;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

export interface CsvFormat {
  delimiter: string;
  /** `\r` alone ends lines in some old exports. */
  lineEnd: '\n' | '\r';
  /** Spaces between a delimiter and a quote do not count: `"id", "name"`. */
  spacesBeforeQuotes?: boolean;
}

/** Where a record ends, and where the next one starts. */
interface Bounds {
  end: number;
  next: number;
}
/** A cell is counted from 0. */
type Extent = Bounds | { brokenCell: number } | 'unfinished';

export class CsvReader implements RecordReader {
  readonly #delimiter: string;
  readonly #delimiterByte: number;
  readonly #lineEnd: string;
  readonly #lineEndByte: number;
  readonly #skipsSpaces: boolean;
  #rest: Buffer = Buffer.alloc(0);
  #line: number;
  #byte: number;
  /** Inside a line that is longer than a record may be, and has no quotes. */
  #skipping = false;

  constructor(
    { delimiter, lineEnd, spacesBeforeQuotes = false }: CsvFormat,
    start: Position = { byte: 0, line: 1 },
  ) {
    this.#delimiter = delimiter;
    this.#delimiterByte = delimiter.charCodeAt(0);
    this.#lineEnd = lineEnd;
    this.#lineEndByte = lineEnd.charCodeAt(0);
    this.#skipsSpaces = spacesBeforeQuotes;
    this.#line = start.line;
    this.#byte = start.byte;
  }

  *read(chunk: Buffer, last: boolean): Generator<SourceRecord> {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    let nextQuote = -2; // Not searched yet; -1 when there are no more.
    while (at < data.length) {
      const end = this.#endOfLine(data, at, last);
      const nextLine = Math.min(end + 1, data.length);
      if (nextQuote !== -1 && nextQuote < at) nextQuote = data.indexOf(quote, at);
      const quoted = nextQuote >= 0 && (end < 0 || nextQuote < end);
      if (this.#skipping) {
        if (quoted) throw notClosed(this.#line);
        if (end < 0) {
          this.#byte += data.length - at;
          at = data.length;
          break;
        }
        this.#skipping = false;
        yield this.#unreadable(fault['record-too-long'], nextLine - at);
        at = nextLine;
        continue;
      }
      let extent: Extent;
      if (quoted) extent = this.#quotedExtent(data, at, last);
      else extent = end < 0 ? 'unfinished' : { end, next: nextLine };
      if (extent === 'unfinished' || end < 0) {
        if (data.length - at <= maxRecordBytes) break;
        if (quoted) throw notClosed(this.#line);
        this.#skipping = true;
        continue;
      }
      if ('brokenCell' in extent) {
        let to = nextLine;
        while (to > at && (data[to - 1] === lineFeed || data[to - 1] === carriageReturn)) to -= 1;
        const { brokenCell: faultyCell } = extent;
        yield { ...this.#unreadable(fault.quote, nextLine - at), faultyCell, data, from: at, to };
        at = nextLine;
        continue;
      }
      if (extent.end - at > maxRecordBytes) {
        yield this.#unreadable(fault['record-too-long'], extent.next - at);
      } else {
        const record = this.#record(data, at, extent, quoted);
        if (record) yield record;
      }
      at = extent.next;
    }
    if (last && this.#skipping) yield this.#unreadable(fault['record-too-long'], 0);
    this.#rest = Buffer.from(data.subarray(at));
  }

  /** -1 where the line continues in the next chunk. */
  #endOfLine(data: Buffer, at: number, last: boolean): number {
    const end = data.indexOf(this.#lineEndByte, at);
    return end < 0 && last ? data.length : end;
  }

  /** The extent of a record with quotes, which may span several lines. */
  #quotedExtent(data: Buffer, start: number, last: boolean): Extent {
    const [delimiter, lineEnd] = [this.#delimiterByte, this.#lineEndByte];
    let at = start;
    for (let cell = 0; ; cell += 1) {
      if (this.#skipsSpaces) at = pastSpaces(data, at, quote);
      if (data[at] === quote) {
        at += 1;
        for (;;) {
          at = data.indexOf(quote, at);
          if (at < 0) return last ? { brokenCell: cell } : 'unfinished';
          if (at + 2 >= data.length && !last) return 'unfinished';
          if (data[at + 1] !== quote) break;
          at += 2;
        }
        at += 1;
        if (this.#skipsSpaces) at = pastSpaces(data, at, delimiter, lineEnd, carriageReturn);
        at = this.#pastCarriageReturns(data, at);
        if (at >= data.length && !last) return 'unfinished';
        const ends = at >= data.length || data[at] === lineEnd;
        if (!ends && data[at] !== delimiter) return { brokenCell: cell };
      } else {
        while (at < data.length && data[at] !== delimiter && data[at] !== lineEnd) at += 1;
        if (at >= data.length && !last) return 'unfinished';
      }
      if (at >= data.length) return { end: at, next: at };
      if (data[at] === lineEnd) return { end: at, next: at + 1 };
      at += 1;
    }
  }

  /** Some tools convert line ends twice, and write `\r\r\n`. */
  #pastCarriageReturns(data: Buffer, at: number): number {
    let end = at;
    while (data[end] === carriageReturn) end += 1;
    return this.#lineEndByte === lineFeed && (end >= data.length || data[end] === lineFeed)
      ? end
      : at;
  }

  #record(
    data: Buffer,
    start: number,
    { end, next }: Bounds,
    quoted: boolean,
  ): SourceRecord | undefined {
    const line = this.#line;
    let textEnd = end;
    if (this.#lineEndByte === lineFeed) {
      while (textEnd > start && data[textEnd - 1] === carriageReturn) textEnd -= 1;
    }
    const text = data.toString('utf8', start, textEnd);
    this.#line += 1 + (quoted ? countOccurrences(this.#lineEnd, text) : 0);
    this.#byte += next - start;
    if (text === '') return undefined;
    const cells = quoted ? this.#quotedCells(text) : this.#plainCells(text);
    if (cells.every((cell) => cell === null)) return undefined;
    const record: SourceRecord = {
      line,
      nextLine: this.#line,
      nextByte: this.#byte,
      data,
      from: start,
      to: textEnd,
      cells,
    };
    if (text.includes('\uFFFD') && !isUtf8(data.subarray(start, end))) record.fault = fault.utf8;
    else if (text.includes('\0')) record.fault = fault.nul;
    return record;
  }

  #plainCells(text: string): (string | null)[] {
    const cells: (string | null)[] = text.split(this.#delimiter);
    for (let i = 0; i < cells.length; i += 1) if (cells[i] === '') cells[i] = null;
    return cells;
  }

  #quotedCells(text: string): (string | null)[] {
    const cells: (string | null)[] = [];
    let at = 0;
    for (;;) {
      let end: number;
      if (this.#skipsSpaces) while (text[at] === ' ' && /^ *"/.test(text.slice(at))) at += 1;
      if (text[at] === '"') {
        end = at + 1;
        for (;;) {
          end = text.indexOf('"', end);
          if (text[end + 1] !== '"') break;
          end += 2;
        }
        cells.push(text.slice(at + 1, end).replaceAll('""', '"'));
        end += 1;
        if (this.#skipsSpaces) while (text[end] === ' ') end += 1;
      } else {
        const found = text.indexOf(this.#delimiter, at);
        end = found < 0 ? text.length : found;
        cells.push(end === at ? null : text.slice(at, end));
      }
      if (end >= text.length) return cells;
      at = end + 1;
    }
  }

  #unreadable(reason: Fault, bytes: number): SourceRecord {
    const line = this.#line;
    this.#line += 1;
    this.#byte += bytes;
    const place = { line, nextLine: this.#line, nextByte: this.#byte, from: 0, to: 0 };
    return { ...place, cells: [], fault: reason };
  }
}

/** Past spaces, if one of these bytes follows them. */
function pastSpaces(data: Buffer, start: number, ...next: number[]): number {
  let at = start;
  while (data[at] === space) at += 1;
  return next.includes(data[at] ?? -1) ? at : start;
}

/**
 * Nothing shows whether the quote is missing or the cell is long. Read as lines, a long cell could insert customers;
 * read as one record, a missing quote would lose all that follow. In a line of more than 1 MiB, any quote may open one.
 */
const notClosed = (line: number): ImportError =>
  new ImportError(
    `Line ${line} has a quote that is not closed within 1 MiB. Close it, or shorten the cell.`,
  );
