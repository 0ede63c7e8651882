/**
 * Buffers for what is kept: Buffer.from() and Buffer.concat() take small ones out of a slab of 64 kB, all of which stays
 * in memory as long as one of them is used.
 */
export function ownBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}

/** All of them in one. */
export function joined(parts: readonly Buffer[]): Buffer {
  const buffer = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + part.length, 0));
  let filled = 0;
  for (const part of parts) filled += part.copy(buffer, filled);
  return buffer;
}
