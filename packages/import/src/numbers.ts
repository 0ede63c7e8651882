/**
 * Parses numbers as people and spreadsheets write them, and rejects ambiguous ones: `1.234` is over a
 * thousand in some countries and a little more than one in others.
 */
import { fault, type Fault } from './faults.ts';

const plain = /^-?\d{1,15}$/;
/** A whole number that a program stored as a float: `12.0`. */
const floated = /^-?\d+[.,]0$/;

const space = String.raw`[ \u00a0\u202f'’]`;
const grouped = new RegExp(`^(\\d{1,3}(?:${space}\\d{3})+)(?:[.,](\\d{1,2}))?$`);
const groupedWithDecimals = /^(\d{1,3}(?:,\d{3})+)\.(\d{1,2})$|^(\d{1,3}(?:\.\d{3})+),(\d{1,2})$/;
const millions = /^\d{1,3}(?:,\d{3}){2,}$|^\d{1,3}(?:\.\d{3}){2,}$/;
const thousandsOrFraction = /^[1-9]\d{0,2}[.,]\d{3}$/;
const decimal = /^(\d+)[.,](\d+)$/;
const plainAmount = /^-?\d{1,13}(?:\.\d{1,2})?$/;
/** A sign and a currency around the digits: `-$5.00`, `USD 12.50`, `12,50 kr`. */
const currencyText = String.raw`([\p{L}]{0,3}\p{Sc}|\p{L}{2,3}\.?)?`;
const money = new RegExp(
  String.raw`^([-−+])?\s*${currencyText}\s*([-−+])?\s*(\d[^\p{L}\p{Sc}]*?)\s*${currencyText}$`,
  'u',
);

interface Digits {
  whole: string;
  fraction: string;
}

export function wholeNumber(text: string, min: number, max: number): string | Fault {
  let value = Number.NaN;
  if (plain.test(text)) value = Number(text);
  else {
    const { sign, body } = signed(text);
    const digits = floated.test(body)
      ? { whole: body.slice(0, -2), fraction: '' }
      : readDigits(body);
    if (digits === undefined) return fault['whole-number'];
    if (digits === 'ambiguous') return fault['number-ambiguous'];
    if (digits.fraction !== '') return fault['whole-number'];
    value = sign * Number(digits.whole);
  }
  if (value < min || value > max) return fault['number-range'];
  return String(value === 0 ? 0 : value);
}

/** An amount such as `1.234,56 €`. */
interface Money {
  digits: string;
  negative: boolean;
  /** A code such as `EUR`, or the text itself if it stands for several currencies. */
  currency?: string | undefined;
}

export function readMoney(text: string): Money | undefined {
  const [, sign, before, innerSign, digits, after] = money.exec(text.trim()) ?? [];
  if (digits === undefined || (sign && innerSign) || (before && after)) return undefined;
  const written = before ?? after;
  const currency = written === undefined ? undefined : currencyCode(written);
  if (written !== undefined && currency === undefined) return undefined;
  return { digits, negative: /[-−]/.test(sign ?? innerSign ?? ''), currency };
}

/** An amount in major units, converted to cents. `isExpected` decides whether its currency is accepted. */
export function amountInCents(
  text: string,
  min: number,
  max: number,
  isExpected: (currency: string) => boolean,
): string | Fault {
  const amount = plainAmount.test(text)
    ? { digits: text.replace('-', ''), negative: text.startsWith('-') }
    : readMoney(text);
  const digits = amount && readDigits(amount.digits);
  if (digits === 'ambiguous') return fault['number-ambiguous'];
  const fraction = digits && withoutFloatError(digits).replace(/0+$/, '');
  if (digits === undefined || fraction!.length > 2) return fault.amount;
  if (amount?.currency !== undefined && !isExpected(amount.currency)) return fault.currency;
  const value = (amount!.negative ? -1 : 1) * Number(digits.whole + fraction!.padEnd(2, '0'));
  if (value < min || value > max) return fault['number-range'];
  return String(value === 0 ? 0 : value);
}

/** Programs write 0.30000000000000004 for 0.3. */
function withoutFloatError({ whole, fraction }: Digits): string {
  if (fraction.length < 12) return fraction;
  const rounded = Number(`0.${fraction}`).toFixed(2);
  const error = Math.abs(Number(`0.${fraction}`) - Number(rounded));
  return error < 1e-9 && whole.length <= 13 && rounded.startsWith('0')
    ? rounded.slice(2)
    : fraction;
}

const symbols: Record<string, string> = {
  ...{ '€': 'EUR', $: 'USD', US$: 'USD', '£': 'GBP', '¥': 'JPY', '₹': 'INR', R$: 'BRL' },
  ...{ C$: 'CAD', CA$: 'CAD', A$: 'AUD', AU$: 'AUD', NZ$: 'NZD', HK$: 'HKD' },
  ...{ ZŁ: 'PLN', KČ: 'CZK', FT: 'HUF', FR: 'CHF', KR: 'KR' },
};
const codes = new Set(Intl.supportedValuesOf('currency'));

/** `EUR` for `€` and `eur`. */
export function currencyCode(text: string): string | undefined {
  const name = text.trim().replace(/\.$/, '').toUpperCase();
  if (codes.has(name)) return name;
  return symbols[name] ?? (/^\p{Sc}$/u.test(name) ? name : undefined);
}

function signed(text: string): { sign: 1 | -1; body: string } {
  const trimmed = text.trim();
  if (/^[-−]/.test(trimmed)) return { sign: -1, body: trimmed.slice(1) };
  return { sign: 1, body: trimmed.startsWith('+') ? trimmed.slice(1) : trimmed };
}

function readDigits(body: string): Digits | 'ambiguous' | undefined {
  if (/^\d+$/.test(body)) return { whole: body, fraction: '' };
  if (thousandsOrFraction.test(body)) return 'ambiguous';
  if (millions.test(body)) return { whole: onlyDigits(body), fraction: '' };
  const [, whole, fraction = '', otherWhole = '', otherFraction = ''] =
    grouped.exec(body) ?? groupedWithDecimals.exec(body) ?? decimal.exec(body) ?? [];
  if (whole === undefined && otherWhole === '') return undefined;
  return {
    whole: onlyDigits(whole ?? otherWhole),
    fraction: whole === undefined ? otherFraction : fraction,
  };
}

const onlyDigits = (text: string): string => text.replaceAll(/\D/g, '');
