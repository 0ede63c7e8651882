const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/**
 * Reports write 15 characters of an identifier, exports three more as a checksum of its case. Without a right checksum,
 * the text is something else and is kept: two identifiers must not become one.
 */
export function withoutChecksum(id: string): string {
  const short = id.slice(0, 15);
  return id.length === 18 && id.slice(15) === checksum(short) ? short : id;
}

/** One character for each group of five: its bits say which of them are upper case. */
function checksum(id: string): string {
  const groups = [id.slice(0, 5), id.slice(5, 10), id.slice(10, 15)];
  return groups
    .map((group) => {
      const bits = [...group].map((each, i) => (/[A-Z]/.test(each) ? 1 << i : 0));
      return digits[bits.reduce((sum, bit) => sum + bit, 0)];
    })
    .join('');
}
