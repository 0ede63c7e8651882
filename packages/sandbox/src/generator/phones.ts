/**
 * Phone numbers in common notations. None of them is in use, and the last four digits still
 * distinguish customers. There are three kinds:
 * - ranges reserved for fiction, in countries that have them (Ofcom, Bundesnetzagentur, ARCEP, PTS,
 *   ComReg, ACMA, and 555-0100 to 555-0199 in North America). They are small: with these alone, the
 *   last four digits of a quarter of all customers would be 01xx;
 * - therefore also the rest of the 555 exchange in many North American area codes, which is closed to
 *   subscribers, and the British area code 01632, which is not assigned;
 * - elsewhere, numbers that start with 0 after the area code, which no subscriber number does, or, in
 *   plans without area codes, numbers that start with an unassigned digit.
 * All other digits are uniformly distributed.
 */
import type { Draw, Random } from './random.ts';
import { skewedIndex } from './random.ts';

interface Line {
  /** The country's calling code. */
  code: string;
  /** The prefix dialled within the country. */
  trunk: string;
  area: string;
  /** The groups of digits after the area code. `#` stands for any digit. */
  groups: string[];
}
type Style = (line: Line) => string;

const international: Style = ({ code, area, groups }) => `+${code} ${area} ${groups.join(' ')}`;
const compact: Style = ({ code, area, groups }) => `+${code}${area}${groups.join('')}`;
const dialledOut: Style = ({ code, area, groups }) => `00${code} ${area} ${groups.join(' ')}`;
const optionalTrunk: Style = ({ code, area, groups }) => `+${code} (0)${area} ${groups.join(' ')}`;
const outerBrackets: Style = ({ code, area, groups }) => `+${code} (${area}) ${groups.join('-')}`;
const bare: Style = ({ trunk, area, groups }) => `${trunk}${area}${groups.join('')}`;
const slash: Style = ({ trunk, area, groups }) => `${trunk}${area}/${groups.join('')}`;
const separated =
  (by: string): Style =>
  ({ trunk, area, groups }) =>
    [trunk + area, ...groups].join(by);
const bracketed =
  (by: string): Style =>
  ({ trunk, area, groups }) =>
    `(${trunk}${area}) ${groups.join(by)}`;

const padded = [1, 2, 3, 4].map((width) =>
  Array.from({ length: 10 ** width }, (_, digits) => String(digits).padStart(width, '0')),
);
const digits = (random: Random, width: number) => {
  const choices = padded[width - 1]!;
  return choices[random.below(choices.length)]!;
};

/** Draws numbers from a pattern such as `+49 30 0## ####`. */
function template(pattern: string): Draw<string> {
  const texts = pattern.split(/#{1,4}/);
  const widths = pattern.match(/#{1,4}/g)?.map((run) => run.length) ?? [];
  return (random) => {
    let number = texts[0]!;
    for (let run = 0; run < widths.length; run++) {
      number += digits(random, widths[run]!) + texts[run + 1]!;
    }
    return number;
  };
}

/** All lines are equally likely. Styles are listed most common first. */
function plan(code: string, trunk: string, lines: string[], styles: Style[]): Draw<string> {
  const templates = styles.map((style) =>
    lines.map((line) => {
      const [area = '', ...groups] = line.split(' ');
      return template(style({ code, trunk, area, groups }));
    }),
  );
  const style = skewedIndex(styles.length, 0.8);
  return (random) => templates[style(random)]![random.below(lines.length)]!(random);
}

const inAreas = (areas: string, rest: string) =>
  areas.split(/\s+/).map((area) => `${area} ${rest}`);

const northAmerican = (areas: string) =>
  plan(
    '1',
    '',
    [
      ...inAreas(areas, '555 ####'),
      ...inAreas(areas, '555 ####'),
      ...inAreas(areas, '555 ####'),
      ...inAreas(areas, '555 01##'),
    ],
    [bracketed('-'), separated('-'), compact, international, bare, separated('.'), outerBrackets],
  );

const spaced = [separated(' '), international, compact, bare];
const dashed = [separated('-'), international, bare, compact];

export const phones = {
  US: northAmerican(`201 202 203 205 206 207 208 209 210 212 213 214 215 216 217 218 219 224 225 228
    229 231 234 239 240 248 251 252 253 254 256 260 262 267 269 270 276 281 301 302 303 304 305 307 308
    309 310 312 313 314 315 316 317 318 319 320 321 323 330 334 336 337 339 347 351 352 360 361 386 401
    402 404 405 406 407 408 409 410 412 413 414 415 417 419 423 425 432 434 435 440 443 469 478 479 480
    484 501 502 503 504 505 507 508 509 510 512 513 515 516 517 518 520 530 540 541 551 559 561 562 563
    571 573 574 580 585 586 601 602 603 605 606 607 608 609 610 612 614 615 616 617 618 619 620 623 626
    630 631 636 641 646 650 651 660 661 662 678 682 701 702 703 704 706 707 708 712 713 714 715 716 717
    718 719 720 724 727 731 732 734 740 754 757 760 763 765 770 772 773 774 775 781 785 786 801 802 803
    804 805 806 808 810 812 813 814 815 816 817 818 828 830 831 832 843 845 847 848 850 856 857 858 859`),
  CA: northAmerican(`204 226 236 250 289 306 343 365 403 416 418 437 438 450 506 514 519 579 581 587 604
    613 639 647 705 709 778 780 807 819 867 873 902 905`),
  GB: plan(
    '44',
    '0',
    [
      ...inAreas('113 114 115 116 117 118 121 131 141 151 161', '496 0###'),
      '20 7946 0###',
      '20 7946 0###',
      '191 498 0###',
      '29 2018 0###',
      ...Array<string>(8).fill('7700 900###'),
      ...Array<string>(12).fill('1632 ######'),
    ],
    [separated(' '), international, bare, compact, optionalTrunk, bracketed(' '), dialledOut],
  ),
  IE: plan('353', '0', ['20 91# ####'], [...spaced, bracketed(' '), optionalTrunk]),
  AU: plan(
    '61',
    '0',
    [...inAreas('2 3 7 8', '5550 ####'), ...inAreas('2 3 7 8', '7010 ####')],
    [bracketed(' '), ...spaced],
  ),
  DE: plan(
    '49',
    '0',
    [
      '30 23125 ###',
      '69 90009 ###',
      '40 66969 ###',
      '221 4710 ###',
      '89 99998 ###',
      '171 39200##',
      '176 040690##',
      ...inAreas('30 40 89 221 211 711 341 351', '0### ####'),
    ],
    [
      separated(' '),
      international,
      slash,
      compact,
      bare,
      bracketed('-'),
      optionalTrunk,
      dialledOut,
    ],
  ),
  AT: plan('43', '0', inAreas('1 316 512 662 732', '0## ## ##'), [slash, ...spaced, optionalTrunk]),
  CH: plan('41', '0', inAreas('44 22 31 61 91', '0## ## ##'), [...spaced, optionalTrunk]),
  FR: plan(
    '33',
    '0',
    [
      '1 99 00 ## ##',
      '2 61 91 ## ##',
      '3 53 01 ## ##',
      '4 65 71 ## ##',
      '5 36 49 ## ##',
      ...Array<string>(4).fill('6 39 98 ## ##'),
    ],
    [separated(' '), international, separated('.'), bare, compact, optionalTrunk, dialledOut],
  ),
  NL: plan('31', '0', inAreas('20 10 30 70 40 50', '0## ####'), [...dashed, bracketed(' ')]),
  ES: plan(
    '34',
    '',
    ['3## ### ###', '3## ## ## ##'],
    [separated(' '), international, bare, compact],
  ),
  MX: plan('52', '', inAreas('55 33 81', '0### ####'), [...spaced, bracketed('-'), separated('-')]),
  AR: plan('54', '', inAreas('11 351 341', '0### ####'), [bracketed('-'), ...dashed]),
  PT: plan('351', '', ['55# ### ###'], spaced),
  BR: plan('55', '', inAreas('11 21 31 41 51 61 71 81 85', '0### ####'), [
    bracketed('-'),
    ...spaced,
    outerBrackets,
  ]),
  IT: plan('39', '', ['2## ### ####', '2## #######'], [...spaced, separated('.'), dialledOut]),
  SE: plan(
    '46',
    '0',
    [
      '31 390 06 ##',
      '40 628 04 ##',
      '8 465 004 ##',
      '70 174 06 ##',
      ...inAreas('8 31 40 18', '0## ### ##'),
    ],
    [separated('-'), international, compact, bare, optionalTrunk],
  ),
  NO: plan('47', '', ['10 ## ## ##', '1## ## ###'], spaced),
  DK: plan('45', '', ['10 ## ## ##', '1### ####'], spaced),
  FI: plan('358', '0', inAreas('9 3 2 8', '0## ####'), [...spaced, dialledOut]),
  IS: plan('354', '', ['0## ####'], dashed),
  PL: plan('48', '', inAreas('22 12 71 61 58', '0## ## ##'), [...spaced, separated('-')]),
  CZ: plan('420', '', ['1## ### ###'], [...spaced, dialledOut]),
  TR: plan('90', '0', inAreas('212 216 312 232 242', '0## ## ##'), [bracketed(' '), ...spaced]),
  RU: plan(
    '7',
    '8',
    inAreas('495 812 383 343 846', '0## ## ##').concat('495 0## ## ##', '812 0## ## ##'),
    [outerBrackets, ({ area, groups }) => `8 (${area}) ${groups.join('-')}`, compact, bare],
  ),
  UA: plan('380', '0', inAreas('44 32 48 57', '0## ## ##'), [...spaced, outerBrackets]),
  GR: plan('30', '', inAreas('210 2310 2610', '0## ###'), spaced),
  EG: plan('20', '0', inAreas('2 3', '0### ####'), [...spaced, dialledOut]),
  SA: plan('966', '0', inAreas('11 12 13', '0## ####'), spaced),
  AE: plan('971', '0', inAreas('2 4 6', '0## ####'), [international, ...spaced, dialledOut]),
  IL: plan('972', '0', inAreas('2 3 4 8 9', '0## ####'), dashed),
  CN: plan('86', '0', inAreas('10 20 21 28 755 571', '0### ####'), [...dashed, bracketed(' ')]),
  TW: plan('886', '0', inAreas('2 4 7', '0### ####'), [bracketed('-'), ...dashed]),
  JP: plan('81', '0', inAreas('3 6 52 92 90 80', '0### ####'), [...dashed, bracketed('-')]),
  KR: plan('82', '0', inAreas('10 10 2 31 51', '0### ####'), [...dashed, separated('.')]),
  IN: plan('91', '0', inAreas('11 22 33 44 80', '0### ####'), [international, ...dashed]),
  TH: plan('66', '0', inAreas('1', '### ####'), [...dashed, separated(' ')]),
  VN: plan('84', '0', inAreas('24 28 236', '0### ####'), [...spaced, separated('.')]),
  NG: plan('234', '0', inAreas('1 9', '0## ####'), spaced),
};
