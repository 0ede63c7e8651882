/** How rejected records are written: as in the file, each with the reason in front, so that they can be imported again. */
import { encoderFor } from './encoders.ts';
import type { FileFormat } from './file-format.ts';
import { isReason, reasonName } from './reject-reason.ts';

export interface RejectLayout {
  /** What the list begins with, in UTF-8. */
  start: Buffer;
  /** `source` is the record as in the file. */
  record(reason: string, source: Buffer): Buffer;
  encode: (utf8: Buffer) => Buffer;
}

const lineFeed = 0x0a;

/** `head` is the decoded file up to its first record. */
export function rejectLayout(
  format: FileFormat,
  head: Buffer,
  encoding: string | undefined,
): RejectLayout {
  const encode = encoderFor(encoding);
  const mark = encoding?.startsWith('utf-16') ? '\uFEFF' : '';
  if (format.kind === 'ndjson') return { ...jsonLayout, start: Buffer.from(mark), encode };
  const { delimiter, lineEnd, header, headerStart, quotesAll } = format;
  const hasReason = isReason(header[0] ?? '');
  const end = head.at(-2) === 0x0d && head.at(-1) === lineFeed ? '\r\n' : lineEnd;
  const name = quotesAll ? `"${reasonName}"` : reasonName;
  const columns =
    headerStart === undefined
      ? Buffer.from(`${header.map((each) => quoted(each, delimiter)).join(delimiter)}${end}`)
      : head.subarray(headerStart);
  return {
    start: Buffer.concat([
      Buffer.from(mark),
      head.subarray(0, headerStart ?? 0),
      Buffer.from(hasReason ? '' : `${name}${delimiter}`),
      columns,
    ]),
    record(reason, source) {
      const record = hasReason ? withoutFirstCell(source, delimiter) : source;
      const cell = `"${reason.replaceAll('"', '""')}"${delimiter}`;
      return Buffer.concat([Buffer.from(cell), record, Buffer.from(end)]);
    },
    encode,
  };
}

const quoted = (name: string, delimiter: string): string =>
  name.includes(delimiter) || name.includes('"') ? `"${name.replaceAll('"', '""')}"` : name;

function withoutFirstCell(source: Buffer, delimiter: string): Buffer {
  const text = source.toString('latin1');
  const cell = /^"(?:[^"]|"")*"/.exec(text)?.[0] ?? '';
  const at = text.indexOf(delimiter, cell.length);
  return at < 0 ? Buffer.alloc(0) : source.subarray(at + 1);
}

const oldReason = new RegExp(String.raw`^\s*\{\s*"${reasonName}"\s*:\s*"(?:[^"\\]|\\.)*"\s*,?`);

/** For NDJSON in UTF-8. */
export const jsonLayout: RejectLayout = {
  start: Buffer.alloc(0),
  record(reason, source) {
    const text = source.toString('latin1');
    const key = `"${reasonName}":${JSON.stringify(reason)}`;
    const old = oldReason.exec(text)?.[0].length;
    const at = old ?? text.indexOf('{') + 1;
    if (at === 0 || (old === undefined && text.slice(0, at - 1).trim() !== '')) {
      return Buffer.concat([Buffer.from(`{${key}}\n`), source, Buffer.from('\n')]);
    }
    const comma = /^\s*\}/.test(text.slice(at)) ? '' : ',';
    return Buffer.concat([Buffer.from(`{${key}${comma}`), source.subarray(at), Buffer.from('\n')]);
  },
  encode: (utf8) => utf8,
};
