/** Searches for what customers have, in other forms, and for what they have not. */
import type { Random } from '@clientele/sandbox/testing';
import type { Row } from './customer.ts';
import { frequent, randomSpace, randomWord } from './words.ts';

const forms: ((text: string, random: Random) => string)[] = [
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD').replace(/\p{M}/gu, ''),
  (text, random) => inserted(text, random, random.pick(['\u0301', '\u0308', '\u030a'])),
  (text, random) => inserted(text, random, random.pick(["'", '’', '\u200b', '\u00ad', '\ufeff'])),
  (text) => text.replace(/[!-~]/g, (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0)),
  (text) => text.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue'),
  (text) => text.replaceAll('ø', 'oe').replaceAll('å', 'aa').replaceAll('Å', 'Aa'),
  (text) => text.replaceAll('.', ''),
  (text) => text.replaceAll('ß', 'ss').replaceAll('æ', 'ae').replaceAll('ł', 'l'),
  (text, random) => inserted(text, random, random.pick(['%', '_', '\\', '*', '.'])),
  (text) => text.replace(/\D/g, ''),
  (text) => `0${text.replace(/^\+\d+ /, '')}`,
  (text) => text.replace(/\D+/g, '-'),
  (text) => text.replace(/\D+/g, '–'),
  (text) => text.replace(/\D+/g, ', '),
  (text) => Array.from(text.replace(/\D/g, '')).join(' '),
  (text) => text.replace(/[1-9]/g, '0'),
  (text) => `${text}.`,
];

function inserted(text: string, random: Random, what: string): string {
  const characters = Array.from(text);
  characters.splice(random.below(characters.length + 1), 0, what);
  return characters.join('');
}

function part(text: string, random: Random): string {
  const characters = Array.from(text);
  const length = 1 + random.below(random.chance(0.4) ? 2 : 7);
  const start = random.chance(0.4) ? 0 : random.below(characters.length);
  return characters.slice(start, start + length).join('');
}

function term(rows: Row[], random: Random): string {
  const row = rows.length > 0 && random.chance(0.8) ? random.pick(rows) : undefined;
  const { full_name, company_name, email_address, phone_number } = row ?? {};
  const field = random.pick([full_name, full_name, company_name, email_address, phone_number]);
  const text = field ?? randomWord(random);
  const word = random.pick(text.split(/\s/u));
  const piece = random.pick([text, word, word, part(word, random), part(text, random)]);
  return random.chance(0.5) ? random.pick(forms)(piece, random) : piece;
}

export function randomSearch(rows: Row[], random: Random): string {
  if (random.chance(0.03) && rows.length > 0) return random.pick(rows).uuid.toUpperCase();
  const terms = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, () => term(rows, random));
  return terms.reduce((text, each) => text + randomSpace(random) + each);
}

/** A word that several customers share, with one mistake. */
export function misspelt(random: Random): string {
  const characters = Array.from(random.pick(frequent));
  const at = random.below(characters.length - 1);
  const [a = '', b = ''] = characters.slice(at, at + 2);
  const mistake = random.pick([[b, a], [a, a, b], [b], [a, random.pick(['e', 'n', 's'])]]);
  characters.splice(at, 2, ...mistake);
  return characters.join('');
}
