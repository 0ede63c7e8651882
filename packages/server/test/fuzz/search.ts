/** Who a search finds: rules 2 to 6 of docs/api.md#search. */
import type { Row } from './customer.ts';
import { fold, isLetterOrDigit, wordsOf } from './fold.ts';
import { spellingsOf } from './spellings.ts';

type Matcher = (row: Row, masked: boolean) => boolean;

const uuidForm = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

export function matcherOf(search: string): Matcher {
  const trimmed = wordsOf(search).join(' ');
  if (uuidForm.test(trimmed)) return (row) => row.uuid === trimmed.toLowerCase();
  const number = numberIn(search);
  const terms = number?.isDivided ? [number.digits] : wordsOf(fold(search));
  const whole = phoneDigits(number?.digits ?? terms.join(' '), 4);
  return (row, masked) => {
    const { texts, digits } = searched(row, masked);
    if (whole !== undefined && digits.includes(whole)) return true;
    return terms.every((term) => {
      const part = phoneDigits(term, 3);
      if (part !== undefined && digits.includes(part)) return true;
      return texts.some((text) => (anywhere(term) ? text.includes(term) : starts(text, term)));
    });
  };
}

/** A letter of one of these scripts, or one that they share, like the long vowel mark of Kana. */
const cjk = /(?=\p{L})[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;

function anywhere(term: string): boolean {
  const characters = Array.from(term);
  return characters.length >= 3 || cjk.test(term) || !characters.some(isLetterOrDigit);
}

/** Whether the term is at the start of a word: at the start of the text, or after what is no letter or digit. */
function starts(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1)) {
    const before = Array.from(text.slice(0, at)).at(-1);
    if (before === undefined || !isLetterOrDigit(before)) return true;
  }
  return false;
}

/** A search of digits and separators is one number. If white space divides it, its parts are no terms. */
export function numberIn(search: string): { digits: string; isDivided: boolean } | undefined {
  const text = search
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  const digits = text.replace(/\D/g, '');
  if (digits.length < 4 || /[^\d\s+\-()[\]./,;:_~|'’·•‐‑‒–—―−]/u.test(text)) return undefined;
  return { digits, isDivided: /\s/.test(text) };
}

/** What is left of a phone number without punctuation and leading zeros, if it has so many digits. */
function phoneDigits(text: string, atLeast: number): string | undefined {
  const digits = text.replace(/\D/g, '');
  if (!/^[\d+\-‐‑‒–—−()./ ]+$/.test(text) || digits.length < atLeast) return undefined;
  // Zeros alone say nothing about a number.
  return digits.replace(/^0+/, '') || undefined;
}

interface Searched {
  texts: string[];
  digits: string;
}
const known = new Map<string, Searched>();

function searched(row: Row, masked: boolean): Searched {
  const { full_name, company_name } = row;
  const fields = [
    full_name,
    company_name,
    ...(masked ? [] : [row.email_address, row.phone_number]),
  ];
  const key = JSON.stringify(fields);
  const before = known.get(key);
  if (before) return before;
  const names = [full_name, company_name].filter((name) => name !== null);
  const made: Searched = {
    texts: [...fields.filter((field) => field !== null).map(fold), ...names.flatMap(spellingsOf)],
    digits: masked ? '' : fold(row.phone_number ?? '').replace(/\D/g, ''),
  };
  if (known.size > 20_000) known.clear();
  known.set(key, made);
  return made;
}
