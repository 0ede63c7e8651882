import { makeAccessKey } from '@clientele/directory';
import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A well-formed key with this id and another secret. */
export function withAnotherSecret(id: string): string {
  const secret = makeAccessKey().key.slice(16, -6);
  let rest = crc32(id + secret);
  let checksum = '';
  for (let i = 0; i < 6; i += 1) {
    checksum = digits[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return `ck_${id}_${secret}${checksum}`;
}
