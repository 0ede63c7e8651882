/**
 * Words as they are compared for suggestions: lower case, without accents and apostrophes. Nearly the folding of the
 * search rule, which is SQL; a suggestion only has to be close, and its matches are counted by the rule.
 */
export function fold(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
    .replaceAll(/[ßæœøłđðþıς]/g, (letter) => plain[letter]!);
}

const plain: Record<string, string> = {
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

/** Sounds that are written in several ways, longer spellings first. */
const sounds: [spelling: RegExp, sound: string][] = [
  [/ch(?=[lr])/g, 'k'],
  [/sch|sh|tsch|cz|ch|c(?=[eiy])|[zx]/g, 's'],
  [/ph|[vw]/g, 'f'],
  [/ck|[cqg]/g, 'k'],
  [/th|dt|d/g, 't'],
  [/b/g, 'p'],
  [/[jy]/g, 'i'],
];

/**
 * How a folded word sounds, roughly: words that are confused by ear mostly have the same skeleton. Of the vowels it
 * only says whether the word starts with one.
 */
export function skeleton(folded: string): string {
  let sound = folded;
  for (const [spelling, one] of sounds) sound = sound.replaceAll(spelling, one);
  const start = /^[aeiouh]/.test(sound) ? 'a' : '';
  return start + sound.replaceAll(/[aeiouh]/g, '').replaceAll(/(.)\1+/gu, '$1');
}
