/**
 * Folds text as the server does for searching (docs/api.md, "Search"), and maps each folded character
 * back to the original, so that the marked text is what the server matched.
 */

/** Apostrophes and the characters used as one. They are dropped. */
const apostrophes =
  /['`´\u02B9\u02BB-\u02BF\u02C8\u02CA\u02CB\u02EE\u055A\u05F3\u07F4\u07F5\u1FBD\u1FBF\u1FEF\u1FFD\u1FFE\u2018\u2019\u201B\u2032\u2035\u275B\u275C\uA78B\uA78C]/gu;

/** Accents, Hebrew points, Arabic vowel marks, and invisible characters. */
const ignored =
  /[[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F][\p{Mark}&&\p{Script_Extensions=Hebrew}][\p{Mark}&&\p{Script_Extensions=Arabic}]\u0640\p{Default_Ignorable_Code_Point}]/gv;

const spelledOut: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

export function fold(text: string): string {
  return text
    .replaceAll(apostrophes, '')
    .normalize('NFKD')
    .replaceAll(apostrophes, '')
    .replaceAll(ignored, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþıς]/g, (letter) => spelledOut[letter]!)
    .normalize('NFKC')
    .replaceAll(/[\p{White_Space}\p{Control}]/gu, ' ');
}

export interface Folded {
  text: string;
  /** Where the character at this index of `text` starts in the original. */
  from: (at: number) => number;
  /** Where it ends in the original, exclusive. */
  to: (at: number) => number;
}

/** Printable ASCII without apostrophes, the common case: each character folds to its lower case. */
const plain = /^[ -&(-_a-~]*$/;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Folding a grapheme is slow, and names share most of them. */
const foldedPieces = new Map<string, string>();

/** With `rewrite`, what is folded is not the original but what that makes of it, one grapheme at a time. */
export function foldWithPlaces(
  original: string,
  rewrite: (text: string) => string = (text) => text,
): Folded {
  if (plain.test(original)) {
    return { text: original.toLowerCase(), from: (at) => at, to: (at) => at + 1 };
  }
  let text = '';
  const from: number[] = [];
  const to: number[] = [];
  for (const { segment, index } of graphemes.segment(original)) {
    const piece = foldPiece(rewrite(segment));
    text += piece;
    for (let n = 0; n < piece.length; n += 1) {
      from.push(index);
      to.push(index + segment.length);
    }
  }
  const whole = fold(rewrite(original));
  // Folding rarely crosses a grapheme boundary. Where it does, any match marks the whole text.
  if (text !== whole) return { text: whole, from: () => 0, to: () => original.length };
  return { text, from: (at) => from[at]!, to: (at) => to[at]! };
}

function foldPiece(piece: string): string {
  let folded = foldedPieces.get(piece);
  if (folded === undefined) {
    folded = fold(piece);
    if (foldedPieces.size < 10_000) foldedPieces.set(piece, folded);
  }
  return folded;
}
