/**
 * The service's folding (contract, "Search", rule 1), with a way back: for each folded character, where
 * it comes from. So that what the service found is what is marked.
 */

/** Signs that stand for an apostrophe; they do not count. */
const apostrophes =
  /['`´\u02B9\u02BB-\u02BF\u02C8\u02CA\u02CB\u02EE\u055A\u05F3\u07F4\u07F5\u1FBD\u1FBF\u1FEF\u1FFD\u1FFE\u2018\u2019\u201B\u2032\u2035\u275B\u275C\uA78B\uA78C]/gu;

/** Accents, Hebrew points, Arabic vowel signs, and what nobody sees. */
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
  /** Of each character of `text`: the part of the original that it comes from. */
  from: number[];
  to: number[];
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const ascii = /^[\u0000-\u007F]*$/;
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** People's names share their characters; folding each once is most of the speed. */
const foldedPieces = new Map<string, string>();

/** Piece by piece: no rule of folding reaches over what a reader sees as one character. */
export function foldWithPlaces(original: string): Folded {
  const folded: Folded = { text: '', from: [], to: [] };
  if (ascii.test(original)) {
    for (let index = 0; index < original.length; index += 1)
      append(folded, original[index]!, index);
  } else {
    for (const { segment, index } of graphemes.segment(original)) append(folded, segment, index);
  }
  return folded;
}

function append(folded: Folded, piece: string, index: number): void {
  let text = foldedPieces.get(piece);
  if (text === undefined) {
    text = fold(piece);
    if (foldedPieces.size < 10_000) foldedPieces.set(piece, text);
  }
  folded.text += text;
  for (let n = 0; n < text.length; n += 1) {
    folded.from.push(index);
    folded.to.push(index + piece.length);
  }
}
