import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/**
 * Identifies a file and its version, independent of its name. Hashes the modification time and both ends of
 * the content, so that a large file is not read twice.
 */
export async function fingerprintOf(path: string, settings: object): Promise<string> {
  const edge = 1_048_576;
  const file = await open(path);
  try {
    const { size, mtimeMs } = await file.stat();
    const hash = createHash('sha256').update(JSON.stringify([size, mtimeMs, settings]));
    for (const position of [0, Math.max(0, size - edge)]) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(edge), 0, edge, position);
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}
