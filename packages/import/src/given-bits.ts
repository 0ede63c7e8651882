/** Which fields a record gives, as the bits of one number. */

/** The staging table keeps them in a smallint, whose sixteenth bit is the sign. */
const mostBits = 15;

export function bitsOf<Name extends string>(names: readonly Name[]): Record<Name, number> {
  if (names.length > mostBits) {
    throw new RangeError(
      `${names.length} optional columns need more than the ${mostBits} bits of \`given smallint\` (upsert.ts)`,
    );
  }
  return Object.fromEntries(names.map((name, i) => [name, 2 ** i])) as Record<Name, number>;
}
