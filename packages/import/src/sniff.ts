/** Detects the format of a file from its first bytes: NDJSON, or CSV with its delimiter and header. */
import { ImportError } from './import-error.ts';
import { CsvReader, type CsvFormat } from './csv-reader.ts';
import { fault } from './faults.ts';
import { fieldOf } from './field-names.ts';
import type { FileFormat } from './file-format.ts';
import { isReason } from './reject-reason.ts';
import type { Position, SourceRecord } from './source-record.ts';

export interface SniffOptions {
  delimiter?: string | undefined;
  /** The column names, for a file without a header. */
  columns?: string[] | undefined;
}

const delimiters = [',', ';', '\t', '|'];

/** `head` is the beginning of the decoded file, or all of it (`whole`). */
export function sniff(head: Buffer, whole: boolean, options: SniffOptions): FileFormat {
  const start: Position = { byte: 0, line: 1 };
  if (head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) start.byte = 3;
  const text = head.toString('utf8', start.byte);
  if (text.trim() === '') throw new ImportError('The file is empty.');
  const other = otherFormat(head, text);
  if (other !== undefined) throw new ImportError(other);
  const trimmed = text.trimStart();
  if (trimmed.startsWith('[')) {
    throw new ImportError(
      'The file is one JSON array. Convert it to one object per line: jq -c ".[]" FILE',
    );
  }
  if (/^\{\s*\n/.test(trimmed)) {
    throw new ImportError(
      'The JSON spans several lines. Convert it to one object per line: jq -c . FILE, or jq -c ".data[]" FILE for a list',
    );
  }
  if (trimmed.startsWith('{')) return { kind: 'ndjson', start };
  const lineEnd = text.includes('\n') || !text.includes('\r') ? '\n' : '\r';
  const hint = /^sep=(.)\r?\n/.exec(text);
  if (hint) {
    start.byte += Buffer.byteLength(hint[0]);
    start.line += 1;
  }
  const [firstLine = ''] = text.slice(hint?.[0].length ?? 0).split(lineEnd, 1);
  const given = options.delimiter ?? hint?.[1];
  const candidates = (given === undefined ? delimiters : [given]).map((delimiter) => {
    const spacesBeforeQuotes = firstLine.includes(`${delimiter} "`);
    const format: CsvFormat = { delimiter, lineEnd, spacesBeforeQuotes };
    const [record] = new CsvReader(format, start).read(head.subarray(start.byte), whole);
    const names = (record?.cells ?? []).map((cell) => ((cell as string | null) ?? '').trim());
    return { format, record, names, known: names.filter((name) => fieldOf(name)).length };
  });
  const [best] = candidates.toSorted(
    (a, b) => b.known - a.known || b.names.length - a.names.length,
  );
  const { format, names } = best!;
  // With the wrong delimiter, a broken quote is an ordinary character.
  const broken = candidates.find((each) => each.record?.fault === fault.quote);
  const isUnclear = best!.known === 0 && names.length < 2;
  const record = isUnclear && broken ? broken.record : best!.record;
  // A list of rejected records of such a file has a header.
  if (options.columns && !isReason(names[0] ?? '')) {
    const header = options.columns;
    return { kind: 'csv', ...format, start, header, headerStart: undefined, quotesAll: false };
  }
  if (record === undefined || record.fault) throw new ImportError(explainHeader(record));
  if (best!.known === 0 && names.some((name) => /@|^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(name))) {
    throw new ImportError(
      'The first line looks like a customer, not a header. Name the columns with --columns uuid,full_name,…',
    );
  }
  const firstByte = head[start.byte];
  return {
    kind: 'csv',
    ...format,
    start: { byte: record.nextByte, line: record.nextLine },
    header: names,
    headerStart: start.byte,
    quotesAll: firstByte === 0x22,
  };
}

/** What to do with files that are neither CSV nor NDJSON. */
function otherFormat(head: Buffer, text: string): string | undefined {
  const spreadsheet = [0xd0, 0xcf, 0x11, 0xe0].every((byte, i) => head[i] === byte);
  if (spreadsheet || text.startsWith('PK\u0003\u0004')) {
    return 'This is a spreadsheet or a ZIP archive. Export it as CSV in UTF-8, and import that file.';
  }
  if (/^BZh\d/.test(text)) return compressedWith('bzip2');
  if (head[0] === 0xfd && text.slice(1).startsWith('7zXZ')) return compressedWith('xz');
  if (/^\s*<(?:!doctype|html|\?xml|table)/i.test(text)) {
    return 'This is HTML or XML, perhaps a page that asks to sign in. Export CSV or NDJSON, and import that file.';
  }
  if (/^\s*\{\s*"[^"]*"\s*:\s*\[\s*\{/.test(text)) {
    return 'The file is one JSON object with a list. Convert it to one object per line: jq -c ".data[]" FILE';
  }
  return undefined;
}

const compressedWith = (tool: string): string =>
  `The file is compressed. Decompress it first: ${tool} -dc FILE | clientele import -`;

function explainHeader(record: SourceRecord | undefined): string {
  if (record?.fault === fault.utf8) {
    const at = record.cells.findIndex((cell) => String(cell).includes('\uFFFD'));
    return `line 1 is not UTF-8, in column ${at + 1}. For files of Excel and older systems, add: --encoding windows-1252`;
  }
  if (record?.fault === fault.quote) {
    return 'line 1 has an unclosed quote, or text after a closing quote. Correct it, or name the columns with --columns';
  }
  return 'line 1 is not a header: it is too long, or contains NUL. See --encoding, --delimiter and --columns';
}
