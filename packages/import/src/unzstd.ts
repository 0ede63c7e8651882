/**
 * Zstandard, frame by frame. Node's decompressor stops after the first frame without a word, and passes
 * a frame that was cut off for a short one; so the frames (RFC 8878) are told apart here.
 */
import { pipeline, Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';

export async function* unzstd(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = input[Symbol.asyncIterator]();
  let rest: Buffer | undefined = Buffer.alloc(0);
  const frame = async function* (): AsyncGenerator<Buffer> {
    const walker = new FrameWalker();
    for (;;) {
      if (rest === undefined) throw Object.assign(new Error('cut off'), { code: 'ZSTD_cut_off' });
      const end = walker.follow(rest);
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
    pipeline(Readable.from(frame()), inner, () => undefined); // An error reaches the loop below.
    yield* inner as AsyncIterable<Buffer>;
  }
}

async function nextOf(chunks: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const { value, done } = await chunks.next();
  return done ? undefined : value;
}

const magic = 0xfd2fb528;
/** Frames that hold no data: any of sixteen numbers. */
const skippable = 0x184d2a5;

type Part = 'magic' | 'skip-size' | 'descriptor' | 'block' | 'end';

/** Finds the end of one frame from the lengths that its parts give. */
class FrameWalker {
  #part: Part = 'magic';
  #wanted = 4;
  #gathered: number[] = [];
  /** Bytes to pass over before the next part. */
  #passing = 0;
  #hasChecksum = false;

  /** Where the frame ends in this chunk, or -1 where it goes on. */
  follow(chunk: Buffer): number {
    for (let at = 0; at < chunk.length;) {
      if (this.#passing > 0) {
        const step = Math.min(this.#passing, chunk.length - at);
        this.#passing -= step;
        at += step;
      } else {
        this.#gathered.push(chunk[at]!);
        at += 1;
        if (this.#gathered.length === this.#wanted) this.#read();
      }
      if (this.#part === 'end' && this.#passing === 0) return at;
    }
    return -1;
  }

  #read(): void {
    const bytes = Buffer.from(this.#gathered);
    const number = bytes.readUIntLE(0, bytes.length);
    if (this.#part === 'magic') {
      if (number >>> 4 === skippable) this.#expect('skip-size', 4);
      // What is neither is for the decompressor to refuse.
      else this.#expect('descriptor', number === magic ? 1 : Infinity);
    } else if (this.#part === 'skip-size') {
      this.#passing = number;
      this.#expect('end', Infinity);
    } else if (this.#part === 'descriptor') {
      const [sizeFlag, single] = [number >> 6, (number >> 5) & 1];
      this.#hasChecksum = (number & 4) !== 0;
      const dictionary = [0, 1, 2, 4][number & 3]!;
      this.#passing = (single ? 0 : 1) + dictionary + (sizeFlag === 0 ? single : 2 ** sizeFlag);
      this.#expect('block', 3);
    } else {
      const [last, type, size] = [number & 1, (number >> 1) & 3, number >> 3];
      this.#passing = type === 1 ? 1 : size; // 1: one byte, repeated
      if (last && this.#hasChecksum) this.#passing += 4;
      this.#expect(last ? 'end' : 'block', last ? Infinity : 3);
    }
  }

  #expect(part: Part, bytes: number): void {
    this.#part = part;
    this.#wanted = bytes;
    this.#gathered = [];
  }
}
