/** The parts of personal names, and functions that combine them. */
import { type Draw, type Random, skewed, skewedIndex, weightedIndex } from '../random.ts';

export interface Word {
  /** In its own script. */
  text: string;
  /** For e-mail addresses: a to z only. */
  latin: string;
}

export interface Person {
  fullName: string;
  given: Word;
  family: Word;
}

/** Some languages have different family names for women and men. */
export type DrawFamily = (random: Random, woman: boolean) => Word;

const letters = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }),
);

/** Removes accents and everything except a to z. */
export function plainLatin(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => letters.get(letter)!)
    .replace(/[^a-z]/g, '');
}

/**
 * Parses a list of words separated by white space, most common first.
 * Within a word, `_` stands for a space; `∅` stands for an empty word.
 */
export function words(list: string, romanise: (text: string) => string = plainLatin): Word[] {
  return list.split(/\s+/).map((entry) => {
    const text = entry === '∅' ? '' : entry.replaceAll('_', ' ');
    return { text, latin: romanise(text) };
  });
}

/** Like `words`, but each word has its romanization after a colon. */
export function pairs(list: string): Word[] {
  return list.split(/\s+/).map((entry) => {
    const [text = '', latin = ''] = entry.split(':');
    return { text: text === '∅' ? '' : text.replaceAll('_', ' '), latin };
  });
}

/** Joins several parts into one word, each drawn from its list. */
export function joined(...parts: readonly (readonly Word[])[]): Draw<Word> {
  const draws = parts.map((part) => skewed(part, 0.6));
  return (random) => {
    let text = '';
    let latin = '';
    for (const draw of draws) {
      const part = draw(random);
      text += part.text;
      latin += part.latin;
    }
    return { text, latin };
  };
}

/** Like `joined`, for parts in lower case: capitalizes the result. Used for rare names. */
export function composed(...parts: readonly (readonly Word[])[]): Draw<Word> {
  const draw = joined(...parts);
  return (random) => {
    const { text, latin } = draw(random);
    return { text: text.charAt(0).toUpperCase() + text.slice(1), latin };
  };
}

/** Draws from a list in which words with two forms are written `masculine/feminine`. */
export function gendered(list: string, romanise?: (text: string) => string): DrawFamily {
  const forms = list.split(/\s+/).map((entry) => entry.split('/'));
  const men = words(forms.map(([his]) => his).join(' '), romanise);
  const women = words(forms.map(([his, hers]) => hers ?? his).join(' '), romanise);
  const index = skewedIndex(men.length, 0.9);
  return (random, woman) => (woman ? women : men)[index(random)]!;
}

/** Combines a stem with an ending that may depend on the gender. */
export function withEnding(stem: Draw<Word>, ending: DrawFamily): DrawFamily {
  return (random, woman) => {
    const start = stem(random);
    const end = ending(random, woman);
    return { text: start.text + end.text, latin: start.latin + end.latin };
  };
}

/** Draws a family name from one of several weighted sources. */
export function families(...sources: readonly (readonly [number, DrawFamily])[]): DrawFamily {
  const index = weightedIndex(sources.map(([weight]) => weight));
  return (random, woman) => sources[index(random)]![1](random, woman);
}

/** Joins two family names with a hyphen for the given share of people. */
export function doubleBarrelled(share: number, family: DrawFamily): DrawFamily {
  return (random, woman) => {
    const first = family(random, woman);
    if (!random.chance(share)) return first;
    const second = family(random, woman);
    if (second.text === first.text) return first;
    return { text: `${first.text}-${second.text}`, latin: first.latin + second.latin };
  };
}

export interface NameLists {
  women: Draw<Word>;
  men: Draw<Word>;
  family: DrawFamily;
}

/** The most common order: given name, then family name. */
export function givenThenFamily({ women, men, family }: NameLists): Draw<Person> {
  return (random) => {
    const woman = random.chance(0.5);
    const given = (woman ? women : men)(random);
    const last = family(random, woman);
    return { fullName: `${given.text} ${last.text}`, given, family: last };
  };
}

/** Names of people living abroad: in Latin letters, given name first. */
export function abroad(people: Draw<Person>): Draw<Person> {
  const inLatin = ({ latin }: Word) => ({
    text: latin.charAt(0).toUpperCase() + latin.slice(1),
    latin,
  });
  return (random) => {
    const person = people(random);
    const given = inLatin(person.given);
    const family = inLatin(person.family);
    return { fullName: `${given.text} ${family.text}`, given, family };
  };
}
