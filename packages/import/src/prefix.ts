import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Checkpoint } from './checkpoint.ts';

const chunkBytes = 1_048_576;

/** The part of a growing file that has been applied, known by its hash. */
export class Prefix {
  readonly #file: FileHandle;
  #hash = createHash('sha256');
  #length = 0;
  /** Read, but not hashed yet. */
  #chunks: Buffer[] = [];

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Whether the file still starts with what the checkpoint says. */
  async is({ bytes, prefixHash }: Checkpoint): Promise<boolean> {
    while (this.#length < bytes) {
      const wanted = Math.min(chunkBytes, bytes - this.#length);
      const { buffer, bytesRead } = await this.#file.read(
        Buffer.alloc(wanted),
        0,
        wanted,
        this.#length,
      );
      if (bytesRead === 0) break;
      this.#update(buffer.subarray(0, bytesRead));
    }
    if (this.#length === bytes && (bytes === 0 || this.hash(bytes) === prefixHash)) return true;
    this.#hash = createHash('sha256');
    this.#length = 0;
    return false;
  }

  /** The data that follows. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  /** The hash of the first `length` bytes, not fewer than in the last call. */
  hash(length: number): string {
    while (this.#length < length) {
      const chunk = this.#chunks.shift()!;
      const rest = length - this.#length;
      this.#update(chunk.subarray(0, rest));
      if (rest < chunk.length) this.#chunks.unshift(chunk.subarray(rest));
    }
    return this.#hash.copy().digest('hex');
  }

  #update(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#length += bytes.length;
  }
}
