/** Generated customers that are hard to search: the edge cases of folding, matching and phone numbers. */
import type { WireCustomer } from '@clientele/contract';
import { blankCustomer } from '@clientele/contract/customer-fields';
import fc from 'fast-check';

/** Words that fold or must not fold. There are few of them, so that customers share words. */
const words = [
  ...[
    'Anna',
    'anna-maria',
    'ANN',
    'Jo',
    'li',
    'O',
    'Smith',
    'goldsmith',
    '50%',
    '100%',
    'snake_case',
  ],
  ...['Åse', 'Ａ\u030Ase', '\u212Bse', 'A\u0308o\u0308-Ü', 'Søren´s', 'ÄÖ\u0301', 'u\u0304\u0308'],
  ...[
    'B.V.',
    's.r.l',
    '(S.p.A.),',
    'a.b.cd',
    'J.Smith',
    'x.',
    'О.О.О.',
    'Ö.B.B.',
    '１.b.c',
    'b․v․',
    '김.수.',
  ],
  ...['Jürgen', 'Ju\u0308rgen', 'Núñez', 'nun\u0303ez', 'Ệ', 'e\u0323\u0302', 'Łódź', 'Øre', 'ǿ'],
  ...[
    'Straße',
    'STRASSE',
    'ẞ',
    'Æther',
    'œuvre',
    'Þór',
    'Ðorđe',
    'ŉ',
    'ﬁ',
    'ﬃ',
    'Ǆ',
    'ªº',
    '№',
    '㎏',
  ],
  ...[
    'İpek',
    'ıl',
    'IĞDIR',
    'i\u0307',
    'Σίσυφος',
    'ΟΔΟΣ',
    'ὈΔΥΣΣΕΎΣ',
    'ς',
    'ΐ',
    'Иванов',
    'Йод',
    'ёлка',
  ],
  ...["O'Brien", 'O’Brien', 'OʼBrien', 'O´Neil', 'O`Neil', 'D＇Arc', 'Hawaiʻi', 'Ꞌa', "''", 'L‛é'],
  ...[
    '田中',
    '田',
    '葛\u{E0100}城',
    '商店',
    'カタカナ',
    'ｶﾀｶﾅ',
    'ガ',
    'ｶﾞ',
    'か\u3099',
    'ﾊﾟ',
    'ー',
    '〆',
    '・',
  ],
  ...['김민수', '\u1100\u1161\u11A8', '각', 'ㄱ', '한'],
  ...['محمد', 'مُحَمَّد', 'مـحـمد', 'أحمد', 'إسلام', '١٢٣', 'שלום', 'שָׁלוֹם', 'צ׳ק'],
  ...['राज', 'हिन्दी', 'ก้อง', 'தமிழ்', '🦊', '👩‍🚀', '☕\uFE0F', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '½', '²', 'Ⅳ', '①', '①②③'],
  ...[
    'ＡＢＣ',
    'ａｎｎａ',
    '１２３',
    '＠',
    '%',
    '_',
    '\\',
    '"',
    "');--",
    '\\%',
    '__',
    '*',
    '.*',
    '$1',
    '&',
    '|',
  ],
  ...[
    'null',
    'NaN',
    'co\u00ADop',
    'zero\u200Bwidth',
    '\u202Ertl',
    '\u0001',
    '\u007F',
    '\u0085',
    '¨',
    '´',
    '…',
  ],
  ...['555', '0170', '12', '007', '1', '0', '000', '1e3', '3.14', '+49', '(0)', '-', '–', '--'],
];

const characters = [...new Set(words.join(''))];

export const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...words) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 5 }),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter(), minLength: 1, maxLength: 3 }) },
);

const between = fc.constantFrom(
  ' ',
  ' ',
  ' ',
  '-',
  '.',
  '  ',
  '\u00A0',
  '\u3000',
  '/',
  ',',
  "'",
  '',
);

const phrase = fc
  .array(fc.tuple(word, between), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.flat().slice(0, -1).join(''));

const phone = fc.oneof(
  fc.constantFrom(
    '+1 (415) 555-0132',
    '+49 (0)89 636-48018',
    '06 28 12 34 56',
    '(0034) 91 123 45 67',
  ),
  fc.constantFrom(
    '５５５-０１３２',
    '555‑0132',
    '555–01–32',
    '415.555.0132',
    '089/63648018',
    '5551234',
  ),
  fc.string({ unit: fc.constantFrom(...'0012345 -()+./–'), minLength: 1, maxLength: 16 }),
  word,
);

const instant = fc.constantFrom(
  '2026-01-31T09:05:00.000Z',
  '2026-01-31T09:05:00.001Z',
  '2025-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
);

export const customer: fc.Arbitrary<WireCustomer> = fc
  .record({
    uuid: fc.uuid(),
    full_name: phrase.map((text) =>
      /[^\p{White_Space}\p{Control}]/u.test(text) ? text : `x${text}`,
    ),
    email_address: fc.tuple(word, word).map(([user, domain]) => `${user}@${domain}.example`),
    phone_number: fc.option(phone),
    company_name: fc.option(phrase),
    is_verified: fc.boolean(),
    total_orders: fc.nat(),
    lifetime_value_cents: fc.integer(),
    last_order_at: fc.option(instant),
    created_at: instant,
  })
  .map((each) => ({ ...blankCustomer, ...each }));

export const customers = fc.uniqueArray(customer, {
  selector: ({ uuid }) => uuid,
  minLength: 0,
  maxLength: 20,
});

/** From ranges that Unicode completed long ago: older engines do not know newer characters. */
function anyCharacter(): fc.Arbitrary<string> {
  const ranges = [
    [0x01, 0x52f],
    [0x1e00, 0x20bf],
    [0x3000, 0x30ff],
    [0xac00, 0xd7a3],
    [0x1f300, 0x1f5ff],
  ] as const;
  return fc
    .oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
    .map((codePoint) => String.fromCodePoint(codePoint));
}
