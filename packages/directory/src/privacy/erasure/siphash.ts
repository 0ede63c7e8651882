/**
 * The first 32 bits of SipHash-2-4 of an ASCII text. SipHash is a keyed hash for short texts, and takes a fraction of the
 * time of a call to `node:crypto`. JavaScript has no fast 64-bit integers, so each is in two halves: `v0` and `v0h`.
 */
export function sipHasher(key: Buffer): (text: string) => number {
  const k0 = key.readInt32LE(0);
  const k0h = key.readInt32LE(4);
  const k1 = key.readInt32LE(8);
  const k1h = key.readInt32LE(12);
  return (text) => {
    let v0 = k0 ^ 0x70736575;
    let v0h = k0h ^ 0x736f6d65;
    let v1 = k1 ^ 0x6e646f6d;
    let v1h = k1h ^ 0x646f7261;
    let v2 = k0 ^ 0x6e657261;
    let v2h = k0h ^ 0x6c796765;
    let v3 = k1 ^ 0x79746573;
    let v3h = k1h ^ 0x74656462;
    const last = text.length >> 3;
    for (let word = 0; word <= last + 1; word += 1) {
      let m = 0;
      let mh = 0;
      let rounds = 2;
      if (word <= last) {
        m = fourBytes(text, 8 * word);
        mh = fourBytes(text, 8 * word + 4);
        if (word === last) mh |= text.length << 24;
      } else {
        v2 ^= 0xff;
        rounds = 4;
      }
      v3 ^= m;
      v3h ^= mh;
      for (; rounds > 0; rounds -= 1) {
        const a = (v0 + v1) | 0;
        const ah = (v0h + v1h + carry(v0, v1, a)) | 0;
        const b = ((v1 << 13) | (v1h >>> 19)) ^ a;
        const bh = ((v1h << 13) | (v1 >>> 19)) ^ ah;
        const c = (v2 + v3) | 0;
        const ch = (v2h + v3h + carry(v2, v3, c)) | 0;
        const d = ((v3 << 16) | (v3h >>> 16)) ^ c;
        const dh = ((v3h << 16) | (v3 >>> 16)) ^ ch;
        // A rotation by 32 bits swaps the halves: here those of `a`, below those of `v2`.
        v0 = (ah + d) | 0;
        v0h = (a + dh + carry(ah, d, v0)) | 0;
        v3 = ((d << 21) | (dh >>> 11)) ^ v0;
        v3h = ((dh << 21) | (d >>> 11)) ^ v0h;
        v2h = (c + b) | 0;
        v2 = (ch + bh + carry(c, b, v2h)) | 0;
        v1 = ((b << 17) | (bh >>> 15)) ^ v2h;
        v1h = ((bh << 17) | (b >>> 15)) ^ v2;
      }
      v0 ^= m;
      v0h ^= mh;
    }
    return (v0 ^ v1 ^ v2 ^ v3) >>> 0;
  };
}

/** 1 if the sum of two lower halves overflows, otherwise 0. */
const carry = (a: number, b: number, sum: number): number => ((a & b) | ((a | b) & ~sum)) >>> 31;

/** Four characters as a little-endian number, with zeros after the end of the text. */
function fourBytes(text: string, at: number): number {
  let bytes = 0;
  for (let i = Math.min(at + 4, text.length) - 1; i >= at; i -= 1) {
    bytes = (bytes << 8) | text.charCodeAt(i);
  }
  return bytes;
}
