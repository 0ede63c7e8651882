/** Messages, numbers and dates in the reader's language and region. */
import { createContext, useContext, useMemo } from 'react';
import { useSettings } from '../settings.ts';
import { messages, type Language, type MessageName } from './messages.ts';

export type Values = Record<string, string | number>;

export interface Text {
  language: Language;
  /** With the region, for dates. */
  locale: string;
  t: (name: MessageName, values?: Values) => string;
  number: (value: number) => string;
  /** With the currency's symbol. */
  money: (lifetimeValue: number) => string;
  /** Without it, for a column whose header names the currency. */
  amount: (lifetimeValue: number) => string;
  currency: string;
  date: (value: Date) => string;
  /** To the second, with the time zone. */
  instant: (value: Date) => string;
  /** "12:03:10", today or lately */
  time: (value: Date) => string;
  /** "3 minutes ago" */
  ago: (value: Date, now: number) => string;
  /** "14 days ago", by calendar days: times on the same date have the same age. */
  age: (value: Date, now: number) => string;
}

export function makeText(language: Language, locale: string, currency: string): Text {
  const numbers = new Intl.NumberFormat(locale);
  const plural = new Intl.PluralRules(language);
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const { maximumFractionDigits: decimals = 2 } = money.resolvedOptions();
  const amounts = new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  // The client divides minor units by 100 for every currency; yen have 0 decimals and dinars 3.
  const inCurrency = (lifetimeValue: number) => Math.round(lifetimeValue * 100) / 10 ** decimals;
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const instants = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'always' });

  const relativeDays = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

  const text: Text = {
    language,
    locale,
    currency,
    t(name, values) {
      const message: string | { one: string; other: string } = messages[name][language];
      const words =
        typeof message === 'string'
          ? message
          : message[plural.select(Number(values?.['count'])) === 'one' ? 'one' : 'other'];
      if (!values) return words;
      return words.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
        const value = values[key] ?? '';
        return typeof value === 'number' ? numbers.format(value) : value;
      });
    },
    number: (value) => numbers.format(value),
    money: (value) => money.format(inCurrency(value)),
    amount: (value) => amounts.format(inCurrency(value)),
    date: (value) => dates.format(value),
    instant: (value) => instants.format(value),
    time: (value) => times.format(value),
    ago(value, now) {
      const seconds = (value.getTime() - now) / 1000;
      if (seconds > -60) return text.t('fresh.now');
      for (const [unit, size] of units) {
        if (-seconds >= size) return relative.format(-Math.floor(-seconds / size), unit);
      }
      return text.t('fresh.now');
    },
    age(value, now) {
      const days = Math.max(0, dayNumber(new Date(now)) - dayNumber(value));
      if (days < 30) return relativeDays.format(-days, 'day');
      if (days < 365) return relative.format(-Math.floor(days / 30.4375) || -1, 'month');
      return relative.format(-Math.floor(days / 365.25) || -1, 'year');
    },
  };
  return text;
}

/** Counts local calendar days; UTC has no days of 23 or 25 hours. */
const dayNumber = (at: Date): number =>
  Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / 86_400_000;

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const satisfies [Intl.RelativeTimeFormatUnit, number][];

export const CurrencyContext = createContext('EUR');

/** Uses the browser's region for the chosen language: Swiss German formats 1’204. */
export function useText(): Text {
  const { language } = useSettings();
  const currency = useContext(CurrencyContext);
  return useMemo(() => {
    const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
    return makeText(language, locale, currency);
  }, [language, currency]);
}
