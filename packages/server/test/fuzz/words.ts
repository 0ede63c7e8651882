/** Names, companies, addresses and numbers in which every rule of the search has something to decide. */
import type { Random } from '@clientele/sandbox/testing';

/** Each is found by several rules, or nearly so. */
const words = [
  ...[
    'Anna',
    'Smith',
    'Smithson',
    'Jo',
    'Li',
    'Bajo',
    'Müller',
    'Muller',
    'Mueller',
    'Jürgen',
    'Øre',
  ],
  ...['Jørgensen', 'Kåre', 'Ågård', 'ÄÖÜ', 'Weiß', 'WEISS', 'STRAẞE', 'İpek', 'Yıldız', 'Łukasz'],
  ...[
    'Żółć',
    'Ærø',
    'Œuvre',
    'Þór',
    'Ðorđe',
    'Nuñez',
    'Zoë',
    'Nguyễn',
    'Việt',
    'Château',
    'Ǿre',
    'Ǣsa',
  ],
  ...[
    "O'Brien",
    'O’Brien',
    'OBrien',
    'L‘Écuyer',
    'dʼArc',
    'Q`ran',
    'Tom´s',
    'ＡＢＣ',
    'ｶﾀｶﾅ',
    'カタカナ',
  ],
  ...[
    'ガラス',
    'がん',
    'かん',
    'ﾊﾟﾝ',
    '田中太郎',
    '田',
    '太一',
    '김민수',
    '김',
    'ㅋㅋ',
    'ㅋㅋㅋㅋ',
    '人人',
    '黒森々',
    '張偉',
    '𠮷野',
  ],
  ...[
    'Παπαδόπουλος',
    'ΣΟΦΟΣ',
    'σοφός',
    'Иванова',
    'Йода',
    'ёлка',
    'محمد',
    'مُحَمَّد',
    'أحمد',
    'שלום',
    'שָׁלוֹם',
  ],
  ...[
    'हिन्दी',
    'ไทย',
    'தமிழ்',
    'ﬁnance',
    'Ⅷ',
    'x²',
    '½',
    'Acme™',
    '🦊',
    '👩‍💻',
    '❤️',
    'co­op',
    'zero\u200bwidth',
  ],
  ...[
    'B.V.',
    'b.v',
    'S.r.l.',
    'e.V.',
    '(B.V.)',
    'U.S.A.',
    'A/S',
    'J.Smith',
    'A.',
    '3.14',
    'Ö.B.B.',
    'B.V.,',
  ],
  ...[
    'snake_case',
    'snakeXcase',
    '50%',
    '500',
    'back\\slash',
    '"q"',
    '&',
    '--',
    'Jean-Luc',
    'Mary-Ann',
    'Ltd.',
  ],
  ...[
    'Müller-Lüdenscheid',
    'Å&Ø',
    'null',
    '%',
    '_',
    '0',
    '007',
    '1234',
    '+',
    'C++',
    '#1',
    '@home',
    'a1b2',
  ],
  // Ligatures, signs and marks of which less is written down.
  ...[
    'ŉ',
    'ﬀﬃ',
    'ʻokina',
    'Ὀδυσσεύς',
    'ǟ',
    'ǻ',
    'Ĳssel',
    '㈱',
    '①',
    'ｶﾞ',
    'が',
    'क़',
    'ＡＢ．Ｃ',
    'Ａ．Ｂ．',
  ],
  ...[
    'A.B-C',
    'A..B',
    '.A.B',
    'ß.b.',
    'Å.b.',
    'd’A.B.',
    '٠١٢',
    '۴۵۶',
    '₂',
    '€',
    'ª',
    'Kft.',
    'ｰ',
    '々',
    '〆切',
    'ーー',
  ],
  ...[
    'a\u202eb',
    'x\u2060y',
    'a\u200db',
    'a\u180eb',
    '\u0130',
    'ﬆ',
    'Ǆ',
    'ǅ',
    'ſ',
    'K',
    'Å',
    'ϐ',
    'ẛ̣',
    'ὈΣ',
    'Σ',
    'ΑΣ.',
  ],
];

/** So many customers share them that they are suggested. */
export const frequent = ['Katharina', 'Schneider', 'Fernández', 'Müllerová', "O'Connell"];

/** Letters, marks and signs of words that are made up. */
const letters = Array.from(
  "aaaeeiooubcdhjklmnrst AJÖäöüøåßæœðþłđıİéñçžőứ019.-_'’%&田中かカｱ김ασςΣиЙم" +
    'e\u0301a\u0308o\u0308\u0308',
);

export const randomWord = (random: Random): string =>
  random.chance(0.85)
    ? random.pick(random.chance(0.2) ? frequent : words)
    : Array.from({ length: 1 + random.below(6) }, () => random.pick(letters)).join('');

const spaces = [' ', ' ', ' ', ' ', '  ', '\u00a0', '\u3000', '\t', '\u2009'];
export const randomSpace = (random: Random): string => random.pick(spaces);

export function randomName(random: Random): string {
  const some = Array.from({ length: 1 + random.below(3) }, () => randomWord(random));
  // It must not be blank.
  const name = some.reduce((text, word) => text + randomSpace(random) + word);
  const form = random.chance(0.1) ? name.normalize('NFD') : name;
  return /[\p{L}\p{N}]/u.test(form) ? form : `${form} Anna`;
}

export function randomAddress(random: Random): string {
  const local = random.chance(0.2)
    ? randomWord(random)
    : random.pick(['anna', 'j.smith', 'kläre', 'jo+news']);
  const domain = random.pick(['acme.example', 'müller.example', 'example.com', 'bv.example.net']);
  return `${local}${random.below(30)}@${domain}`;
}

const shapes = [
  ...['+1 202 555 01##', '(0049) 170 12345##', '+49 (0)89 636-480##', '555##', '0202.555.01##'],
  ...[
    '00##',
    '##',
    '+81 90-1234-56##',
    '１２３ ４５##',
    'ext. ##',
    '12/34/##',
    '170–12##',
    '٠١٢ ##',
    '+000 ##',
  ],
];
export const randomPhone = (random: Random): string | null =>
  random.chance(0.25) ? null : random.pick(shapes).replaceAll('#', () => String(random.below(10)));
