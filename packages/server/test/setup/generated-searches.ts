/** Searches that are likely to match: parts of the customers' fields, spelled in different ways. */
import { limits, type WireCustomer } from '@clientele/contract';
import fc from 'fast-check';
import { customers, word } from './generated-customers.ts';

const spelledOut: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** Different spellings of the same text, and a few that change it. */
const rewritings: ((text: string) => string)[] = [
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFKC'),
  (text) => text.normalize('NFKD').replaceAll(/\p{Mn}/gu, ''),
  (text) =>
    text.replaceAll(/[!-~]/g, (char) => String.fromCodePoint(char.codePointAt(0)! + 0xfee0)),
  (text) => text.replaceAll(/\p{Ll}/gu, (letter) => `${letter}\u0301`),
  (text) => [...text].join('\u00AD'),
  (text) => [...text].join("'"),
  (text) => text.replaceAll(' ', ' \u2003\t'),
  (text) => text.replaceAll(' ', ''),
  (text) => text.replaceAll('.', ''),
  (text) => text.replaceAll(/[äöüøå]/giu, (letter) => spelledOut[letter.toLowerCase()]!),
  (text) => ` ${text}\u3000`,
  (text) => `${text}\u200B`,
  (text) => [...text].toReversed().join(''),
];

const rewriting = fc.array(fc.constantFrom(...rewritings), { maxLength: 2 });
const fields = ['full_name', 'email_address', 'company_name', 'phone_number'] as const;

type Plan = (all: readonly WireCustomer[]) => string;

/** A field or part of one. */
const part: fc.Arbitrary<Plan> = fc
  .record({
    index: fc.nat(19),
    field: fc.constantFrom(...fields),
    start: fc.nat(12),
    length: fc.constantFrom(1, 1, 2, 2, 3, 4, 6, 40),
    rewriting,
  })
  .map(({ index, field, start, length, rewriting: steps }) => (all) => {
    const letters = [...(all[index % (all.length || 1)]?.[field] ?? 'x')];
    const from = start % letters.length;
    const text = letters.slice(from, from + length).join('');
    return steps.reduce((rewritten, step) => step(rewritten), text);
  });

/** The digits of a phone number or of part of one, with other characters between them. */
const phoneDigits: fc.Arbitrary<Plan> = fc
  .record({
    index: fc.nat(19),
    start: fc.nat(6),
    length: fc.integer({ min: 1, max: 12 }),
    prefix: fc.constantFrom('', '', '0', '00', '+', '(0)', '000 '),
    between: fc.constantFrom('', '', ' ', '-', '.', ' - ', '\u2011', '−', ')('),
    every: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ index, start, length, prefix, between, every }) => (all) => {
    const phone = all[index % (all.length || 1)]?.phone_number ?? '0123456';
    const digits = phone
      .normalize('NFKC')
      .replaceAll(/\D/g, '')
      .slice(start, start + length);
    return prefix + (digits.match(new RegExp(`.{1,${every}}`, 'g')) ?? []).join(between);
  });

const identifier: fc.Arbitrary<Plan> = fc
  .record({ index: fc.nat(19), known: fc.boolean(), random: fc.uuid(), rewriting })
  .map(({ index, known, random, rewriting: steps }) => (all) => {
    const uuid = (known && all[index % (all.length || 1)]?.uuid) || random;
    return steps.reduce((rewritten, step) => step(rewritten), uuid);
  });

const unrelated: fc.Arbitrary<Plan> = fc
  .array(word, { maxLength: 4 })
  .map((parts) => () => parts.join(' '));

const search: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 6, arbitrary: fc.array(part, { minLength: 1, maxLength: 3 }).map(joined) },
  { weight: 2, arbitrary: phoneDigits },
  { weight: 1, arbitrary: fc.tuple(part, phoneDigits).map(joined) },
  { weight: 1, arbitrary: identifier },
  { weight: 2, arbitrary: unrelated },
);

export const directoryAndSearch: fc.Arbitrary<{ customers: WireCustomer[]; search: string }> = fc
  .tuple(customers, search)
  .map(([all, plan]) => ({ customers: all, search: withinLimits(plan(all)) }));

function joined(plans: Plan[]): Plan {
  return (all) => plans.map((plan) => plan(all)).join(' ');
}

/** Searches beyond the limits are rejected, which other tests cover. */
function withinLimits(text: string): string {
  const { maxCodePoints, maxTerms } = limits.search;
  const trimmed = [...text].slice(0, maxCodePoints).join('');
  const terms = trimmed.normalize('NFKC').split(/[\s\p{Control}]+/u);
  return terms.length <= maxTerms ? trimmed : terms.slice(0, maxTerms).join(' ');
}
