/**
 * Zstandard, frame by frame (RFC 8878). Node's decompressor silently stops after the first frame and accepts
 * a truncated one, so this finds the end of each frame itself.
 */
import { pipeline, Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';

export async function* unzstd(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = input[Symbol.asyncIterator]();
  let rest: Buffer | undefined = Buffer.alloc(0);
  const frame = async function* (): AsyncGenerator<Buffer> {
    const scanner = new FrameScanner();
    for (;;) {
      if (rest === undefined)
        throw Object.assign(new Error('truncated'), { code: 'ZSTD_truncated' });
      const end = scanner.scan(rest);
      if (end >= 0) {
        yield rest.subarray(0, end);
        rest = rest.subarray(end);
        return;
      }
      yield rest;
      rest = await nextOf(chunks);
    }
  };
  for (;;) {
    while (rest?.length === 0) rest = await nextOf(chunks);
    if (rest === undefined) return;
    const inner = createZstdDecompress();
    pipeline(Readable.from(frame()), inner, () => undefined); // The loop below throws the error.
    yield* inner as AsyncIterable<Buffer>;
  }
}

async function nextOf(chunks: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const { value, done } = await chunks.next();
  return done ? undefined : value;
}

const magic = 0xfd2fb528;
/** The upper 28 bits of the magic numbers of frames without data. */
const skippable = 0x184d2a5;

type Part = 'magic' | 'skip-size' | 'descriptor' | 'block' | 'end';

/** Finds the end of one frame from the lengths in its headers. */
class FrameScanner {
  #part: Part = 'magic';
  #expected = 4;
  #collected: number[] = [];
  /** Bytes to skip before the next part. */
  #skip = 0;
  #hasChecksum = false;

  /** Where the frame ends in this chunk, or -1 if it continues in the next. */
  scan(chunk: Buffer): number {
    for (let at = 0; at < chunk.length;) {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, chunk.length - at);
        this.#skip -= step;
        at += step;
      } else {
        this.#collected.push(chunk[at]!);
        at += 1;
        if (this.#collected.length === this.#expected) this.#read();
      }
      if (this.#part === 'end' && this.#skip === 0) return at;
    }
    return -1;
  }

  #read(): void {
    const bytes = Buffer.from(this.#collected);
    const number = bytes.readUIntLE(0, bytes.length);
    if (this.#part === 'magic') {
      if (number >>> 4 === skippable) this.#expect('skip-size', 4);
      // Anything else is not Zstandard: the decompressor will fail.
      else this.#expect('descriptor', number === magic ? 1 : Infinity);
    } else if (this.#part === 'skip-size') {
      this.#skip = number;
      this.#expect('end', Infinity);
    } else if (this.#part === 'descriptor') {
      const [sizeFlag, single] = [number >> 6, (number >> 5) & 1];
      this.#hasChecksum = (number & 4) !== 0;
      const dictionary = [0, 1, 2, 4][number & 3]!;
      this.#skip = (single ? 0 : 1) + dictionary + (sizeFlag === 0 ? single : 2 ** sizeFlag);
      this.#expect('block', 3);
    } else {
      const [last, type, size] = [number & 1, (number >> 1) & 3, number >> 3];
      this.#skip = type === 1 ? 1 : size; // Type 1 is a single repeated byte.
      if (last && this.#hasChecksum) this.#skip += 4;
      this.#expect(last ? 'end' : 'block', last ? Infinity : 3);
    }
  }

  #expect(part: Part, bytes: number): void {
    this.#part = part;
    this.#expected = bytes;
    this.#collected = [];
  }
}
