/** A batch as a line of the spool, and the lines of a file. */
import { createReadStream } from 'node:fs';
import { hashOf, type Batch } from './batch.ts';

export function toLine({ chain, number, previous, entries, customers, hash }: Batch): Buffer {
  const parts = [previous, hash, entries, customers].map((part) => part.toString('base64'));
  return Buffer.from(`${chain} ${number} ${parts.join(' ')}\n`);
}

function toBatch(line: string): Batch | undefined {
  const [chain = '', number, ...parts] = line.split(' ');
  const [previous, hash, entries, customers] = parts.map((part) => Buffer.from(part, 'base64'));
  if (!previous || !hash || !entries || !customers || !/^\d{1,15}$/.test(number!)) return undefined;
  const batch = { chain, number: Number(number), previous, entries, customers, hash };
  return hashOf(batch).equals(hash) ? batch : undefined;
}

/** Complete lines, and where they end. Those that cannot be read have no batch. */
export async function* readLines(
  path: string,
  from: number,
): AsyncGenerator<{ batch: Batch | undefined; end: number }> {
  let rest: Buffer = Buffer.alloc(0);
  let end = from;
  for await (const chunk of createReadStream(path, { start: from, highWaterMark: 1 << 20 })) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let at = rest.indexOf('\n'); at !== -1; at = rest.indexOf('\n')) {
      const batch = toBatch(rest.toString('latin1', 0, at));
      rest = rest.subarray(at + 1);
      end += at + 1;
      yield { batch, end };
    }
  }
}
