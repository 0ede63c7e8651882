/**
 * Ranges of generated customers as UTF-8 text, in chunks of whole lines.
 * Lines are encoded one by one: most are Latin-1, which is much faster to encode than mixed text.
 */
import type { WireCustomer } from '@clientele/contract';
import { csvHeader, csvLine } from '@clientele/contract/customer-file';
import { customerAt } from './customer.ts';
import { keyCount } from './random.ts';

const chunkBytes = 65_536;

function* chunks(
  seed: number,
  from: number,
  count: number,
  line: (customer: WireCustomer) => string,
  onMade?: (made: number) => void,
): Generator<Buffer> {
  checkRange(seed, from, count);
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let length = 0;
  for (let index = from; index < from + count; index++) {
    const text = line(customerAt(seed, index));
    if (length + 3 * text.length > chunkBytes) {
      onMade?.(index - from);
      yield chunk.subarray(0, length);
      chunk = Buffer.allocUnsafe(chunkBytes);
      length = 0;
    }
    length += chunk.write(text, length);
  }
  if (length > 0) yield chunk.subarray(0, length);
}

function checkRange(seed: number, from: number, count: number): void {
  for (const [name, value] of Object.entries({ seed, from, count, end: from + count })) {
    const max = name === 'seed' ? keyCount - 1 : keyCount;
    if (!Number.isInteger(value) || value < 0 || value > max) {
      throw new RangeError(`The ${name} must be a whole number from 0 to ${max}, not ${value}.`);
    }
  }
}

/** With a header. `onMade` is called with the number of customers generated so far. */
export function* customersCsv(
  seed: number,
  from: number,
  count: number,
  onMade?: (made: number) => void,
): Generator<Buffer> {
  yield Buffer.from(csvHeader);
  yield* chunks(seed, from, count, csvLine, onMade);
}

/** One JSON object per line, as on the wire. */
export function customersNdjson(
  seed: number,
  from: number,
  count: number,
  onMade?: (made: number) => void,
): Generator<Buffer> {
  return chunks(seed, from, count, (customer) => `${JSON.stringify(customer)}\n`, onMade);
}
