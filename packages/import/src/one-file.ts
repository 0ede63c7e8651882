/** A file must not change while it is read: parts of two versions are not a version. */
import { stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { ImportError } from './import-error.ts';

const blockBytes = 1_048_576;

export class OneFile {
  readonly #path: string;
  readonly #version: string;
  /** Of blocks of decoded data, by where they start: the checksum when they were first read. */
  readonly #blocks = new Map<number, number>();

  private constructor(path: string, version: string) {
    this.#path = path;
    this.#version = version;
  }

  static async open(path: string): Promise<OneFile> {
    return new OneFile(path, await versionOf(path));
  }

  /** Passes decoded data on, from a position to the end, and compares it with what was read before. */
  async *watch(chunks: AsyncIterable<Buffer>, from: number): AsyncGenerator<Buffer> {
    let at = from;
    let start = from;
    let sum = 0;
    for await (const chunk of chunks) {
      for (let done = 0; done < chunk.length;) {
        const left = blockBytes - (at % blockBytes);
        const part = chunk.subarray(done, done + left);
        sum = crc32(part, sum);
        at += part.length;
        done += part.length;
        if (at % blockBytes !== 0) continue;
        this.#compare(start, sum);
        start = at;
        sum = 0;
        await this.check();
      }
      yield chunk;
    }
    this.#compare(start, sum);
    await this.check();
  }

  async check(): Promise<void> {
    if ((await versionOf(this.#path)) !== this.#version) this.#fail();
  }

  #compare(start: number, sum: number): void {
    const before = this.#blocks.get(start);
    if (before === undefined) this.#blocks.set(start, sum);
    else if (before !== sum) this.#fail();
  }

  #fail(): never {
    throw new ImportError(
      `${this.#path} was changed while it was read. Wait until it is complete, then run the command again: it starts from the beginning.`,
    );
  }
}

async function versionOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true }).catch(() => ({
    dev: 0,
    ino: 0,
    size: 0,
    mtimeNs: 0,
  }));
  return [dev, ino, size, mtimeNs].join(' ');
}
