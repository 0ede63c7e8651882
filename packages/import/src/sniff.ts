/** What a file is, told from its first bytes: CSV with which delimiter and header, or NDJSON. */
import { ImportError } from './import-error.ts';
import { CsvReader, type CsvForm } from './csv-reader.ts';
import { fieldOf } from './match-fields.ts';
import type { Position } from './source-record.ts';

export type Form = NdjsonForm | CsvFileForm;

interface NdjsonForm {
  kind: 'ndjson';
  /** Where the first record starts. */
  start: Position;
}

interface CsvFileForm extends CsvForm {
  kind: 'csv';
  start: Position;
  header: string[];
  /** Whoever quotes the header quotes everything, so `""` says no more than an empty cell. */
  quotesAll: boolean;
}

export interface SniffOptions {
  delimiter?: string | undefined;
  /** The names of the columns of a file that has no header. */
  columns?: string[] | undefined;
}

const delimiters = [',', ';', '\t', '|'];

/** `head` is the beginning, or all (`whole`) of the decoded file. */
export function sniff(head: Buffer, whole: boolean, options: SniffOptions): Form {
  const start: Position = { byte: 0, line: 1 };
  if (head.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) start.byte = 3;
  const text = head.toString('utf8', start.byte);
  if (text.trim() === '') throw new ImportError('The file is empty.');
  if (text.startsWith('PK\u0003\u0004')) {
    throw new ImportError('This is a spreadsheet or a ZIP archive. Save it as CSV in UTF-8.');
  }
  const first = text.trimStart()[0];
  if (first === '{') return { kind: 'ndjson', start };
  if (first === '[') {
    throw new ImportError('This is one JSON array. Make it an object a line: jq -c ".[]" FILE');
  }
  const lineEnd = text.includes('\n') || !text.includes('\r') ? '\n' : '\r';
  const hint = /^sep=(.)\r?\n/.exec(text);
  if (hint) {
    start.byte += Buffer.byteLength(hint[0]);
    start.line += 1;
  }
  const told = options.delimiter ?? hint?.[1];
  const readings = (told === undefined ? delimiters : [told]).map((delimiter) => {
    const form: CsvForm = { delimiter, lineEnd };
    const [record] = new CsvReader(form, start).read(head.subarray(start.byte), whole);
    const names = (record?.cells ?? []).map((cell) => ((cell as string | null) ?? '').trim());
    return { form, record, names, known: names.filter((name) => fieldOf(name)).length };
  });
  const [best] = readings.toSorted((a, b) => b.known - a.known || b.names.length - a.names.length);
  const { form, record, names } = best!;
  if (options.columns) {
    return { kind: 'csv', ...form, start, header: options.columns, quotesAll: false };
  }
  if (record === undefined || record.fault) {
    throw new ImportError(
      'The first line is not a header: it is too long, is not UTF-8 or has a quote that is not closed.',
    );
  }
  if (best!.known === 0 && names.some((name) => /@|^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(name))) {
    throw new ImportError(
      'The first line looks like a customer, not like a header. Name the columns: --columns uuid,full_name,…',
    );
  }
  const firstByte = head[start.byte];
  return {
    kind: 'csv',
    ...form,
    start: { byte: record.nextByte, line: record.nextLine },
    header: names,
    quotesAll: firstByte === 0x22,
  };
}
