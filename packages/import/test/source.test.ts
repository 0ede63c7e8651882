/** Reading from a position gives the same data as reading everything and skipping up to it. */
import { writeFile } from 'node:fs/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { customersCsv } from '@clientele/sandbox/generator';
import { temporaryFolder } from '@clientele/sandbox/testing';
import { CsvReader } from '../src/csv-reader.ts';
import { openSource } from '../src/source.ts';
import { rawOf, type SourceRecord } from '../src/source-record.ts';

const content = Buffer.concat([...customersCsv(3, 0, 3_000)]);
const form = { delimiter: ',', lineEnd: '\n' } as const;

async function readFrom(path: string, from: number): Promise<Buffer> {
  const source = await openSource(path, process.stdin, { from });
  const parts: Buffer[] = [];
  for await (const chunk of source.chunks()) parts.push(chunk);
  return Buffer.concat(parts);
}

test.each([
  ['plain', content],
  ['gzip', gzipSync(content)],
  [
    'Zstandard',
    Buffer.concat([
      zstdCompressSync(content.subarray(0, 99_999)),
      zstdCompressSync(content.subarray(99_999)),
    ]),
  ],
  ['UTF-16', Buffer.from(`\uFEFF${content.toString()}`, 'utf16le')],
])('%s can be read from any byte', async (_, bytes) => {
  await using folder = await temporaryFolder();
  await writeFile(folder.path('file'), bytes);
  for (const from of [0, 1, 65_535, 65_536, 99_999, 300_001, content.length - 1, content.length]) {
    const read = await readFrom(folder.path('file'), from);
    expect(read.equals(content.subarray(from)), `from ${from}`).toBe(true);
  }
});

/** CSV with quotes and line ends in all places, valid or not. */
const difficultCsv = fc
  .array(fc.constantFrom('"', '""', ',', '\n', '\r\n', 'a', 'é', '😀', ' ', '"x"', '"y\nz"'), {
    maxLength: 60,
  })
  .map((parts) => Buffer.from(parts.join('')));

/** With its bytes, wherever in a chunk they were. */
const withBytes = ({ data, from, to, ...record }: SourceRecord) => ({
  ...record,
  bytes: rawOf({ data, from, to }),
});

const read = (data: Buffer, cuts: number[]) => {
  const reader = new CsvReader(form);
  const records: SourceRecord[] = [];
  let at = 0;
  for (const cut of [...cuts.map((each) => each % (data.length + 1)), data.length].toSorted(
    (a, b) => a - b,
  )) {
    records.push(...reader.read(data.subarray(at, cut), false));
    at = cut;
  }
  return [...records, ...reader.read(Buffer.alloc(0), true)].map(withBytes);
};

test('records do not depend on how the data is split into chunks', () => {
  fc.assert(
    fc.property(difficultCsv, fc.array(fc.nat({ max: 200 }), { maxLength: 6 }), (data, cuts) => {
      expect(read(data, cuts)).toEqual(read(data, []));
    }),
    { numRuns: 2_000 },
  );
});

test('reading can resume after any record', () => {
  fc.assert(
    fc.property(difficultCsv, fc.nat(), (data, pick) => {
      const records = read(data, []);
      if (records.length === 0) return;
      const at = pick % records.length;
      const { nextByte, nextLine } = records[at]!;
      const rest = new CsvReader(form, { byte: nextByte, line: nextLine });
      const resumed = [...rest.read(data.subarray(nextByte), true)].map(withBytes);
      expect(resumed).toEqual(records.slice(at + 1));
    }),
    { numRuns: 2_000 },
  );
});
