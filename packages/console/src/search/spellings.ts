/** The other spellings that names and companies are found by (docs/api.md, "Search"). */
import { foldWithPlaces, type Folded } from './fold.ts';

const spelledOut: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const letters = /[aou]\u0308|a\u030A|[äöüøå]/giu;
/** A word of single letters with dots between them, and punctuation around. */
const abbreviation = /^[^\p{L}\p{Nd}]*\p{L}(\.\p{L})+[^\p{L}\p{Nd}]*$/u;

/** The text as it is, and in its other spellings. They differ only inside words. */
export function spellingsWithPlaces(original: string): Folded[] {
  const folded = foldWithPlaces(original);
  const spellings = [folded];
  if (original.search(letters) !== -1) spellings.push(foldWithPlaces(original, spellOut));
  if (folded.text.includes('.')) spellings.push(joinAbbreviations(folded));
  return spellings;
}

const spellOut = (text: string): string =>
  text.replaceAll(letters, (letter) => spelledOut[letter.normalize('NFC').toLowerCase()]!);

function joinAbbreviations({ text, from, to }: Folded): Folded {
  const kept: number[] = [];
  for (const { 0: word, index } of text.matchAll(/[^ ]+| /g)) {
    const isJoined = abbreviation.test(word);
    for (let at = 0; at < word.length; at += 1) {
      if (!isJoined || word[at] !== '.') kept.push(index + at);
    }
  }
  return {
    text: kept.map((at) => text[at]).join(''),
    from: (at) => from(kept[at]!),
    // Up to the last dot, not up to the last letter.
    to: (at) => to(isLastLetter(text, kept, at) ? kept[at]! + 1 : kept[at]!),
  };
}

const isLastLetter = (text: string, kept: number[], at: number): boolean =>
  /^\.(?!\p{L})/u.test(text.slice(kept[at]! + 1)) && kept[at + 1] !== kept[at]! + 1;
