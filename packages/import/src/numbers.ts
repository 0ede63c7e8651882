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

/** An amount in major units, such as `1.234,56 €`, converted to cents. */
export function amountInCents(text: string, min: number, max: number): string | Fault {
  const { sign, body } = signed(text.replace(/^\p{Sc}\s*|\s*\p{Sc}$/gu, ''));
  const digits = readDigits(body);
  if (digits === 'ambiguous') return fault['number-ambiguous'];
  const fraction = digits?.fraction.replace(/0+$/, '');
  if (digits === undefined || fraction!.length > 2) return fault.amount;
  const value = sign * Number(digits.whole + fraction!.padEnd(2, '0'));
  if (value < min || value > max) return fault['number-range'];
  return String(value === 0 ? 0 : value);
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
