/** Reads one JSON object per line. */
import { isUtf8 } from 'node:buffer';
import { fault, type Fault } from './faults.ts';
import { reasonName } from './reject-reason.ts';
import {
  maxRecordBytes,
  type Position,
  type RecordReader,
  type SourceRecord,
} from './source-record.ts';

const lineFeed = 0x0a;

export class NdjsonReader implements RecordReader {
  #rest: Buffer = Buffer.alloc(0);
  #line: number;
  #byte: number;
  /** Inside a line that is longer than a record may be. */
  #skipping = false;

  constructor(start: Position = { byte: 0, line: 1 }) {
    this.#line = start.line;
    this.#byte = start.byte;
  }

  /** Whether the data ends without a line break. */
  get endsInsideLine(): boolean {
    return this.#skipping || this.#rest.length > 0;
  }

  /** Whether the last line has no line break, but is complete: no part of an object is an object. */
  get endsWithObject(): boolean {
    const read = this.#skipping ? undefined : parse(this.#rest);
    return read !== undefined && 'object' in read;
  }

  *read(chunk: Buffer, last: boolean): Generator<SourceRecord> {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (at < data.length) {
      const found = data.indexOf(lineFeed, at);
      if (found < 0 && !last) {
        if (this.#skipping || data.length - at > maxRecordBytes) {
          this.#skipping = true;
          this.#byte += data.length - at;
          at = data.length;
        }
        break;
      }
      const end = found < 0 ? data.length : found;
      const next = found < 0 ? data.length : found + 1;
      const tooLong = this.#skipping || end - at > maxRecordBytes;
      this.#skipping = false;
      const bytes = data.subarray(at, end);
      const from = at;
      const line = this.#line;
      this.#line += 1;
      this.#byte += next - at;
      at = next;
      const read = tooLong ? { fault: fault['record-too-long'] } : parse(bytes);
      if (read === undefined) continue;
      const place = {
        ...{ line, nextLine: this.#line, nextByte: this.#byte },
        ...{ data: tooLong ? undefined : data, from, to: end },
      };
      if ('fault' in read) yield { ...place, cells: [], ...read };
      else yield { ...place, cells: Object.values(read.object), keys: Object.keys(read.object) };
    }
    if (last && this.#skipping) {
      const place = { line: this.#line, nextLine: this.#line + 1, nextByte: this.#byte };
      yield { ...place, from: 0, to: 0, cells: [], fault: fault['record-too-long'] };
    }
    this.#rest = Buffer.from(data.subarray(at));
  }
}

const manyDigits = /\d{16}/;

/** Beyond 2^53, different integers become the same number, so the text is kept instead. */
function exactInteger(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
}

type Parsed = { object: object } | { fault: Fault; faultyCharacter?: number | undefined };

/** Returns undefined for a blank line. */
function parse(bytes: Buffer): Parsed | undefined {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') return undefined;
  if (text.includes('\uFFFD') && !isUtf8(bytes)) return { fault: fault.utf8 };
  let value: unknown;
  try {
    value = manyDigits.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
  } catch (error) {
    return { fault: fault.json, faultyCharacter: whereItFails(error, text) };
  }
  if (isOnlyReason(value)) return undefined;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { object: value as object } : { fault: fault['not-an-object'] };
}

/** Of a rejected record that is no object and follows on the next line. */
const isOnlyReason = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  reasonName in value &&
  Object.keys(value).length === 1;

/** Most errors name a position, counted from 0. */
function whereItFails(error: unknown, text: string): number | undefined {
  const { message } = error as Error;
  if (message.includes('end of JSON input')) return text.trimEnd().length + 1;
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? undefined : Number(position) + 1;
}
