import { ApiError } from '@clientele/client';
import { buildProblem } from '@clientele/client/testing';
import { expect, test } from 'vitest';
import { makeText } from '../src/text/text.ts';
import { explain } from '../src/ui/explain.ts';

test('the time after which more customers are shown is written in the language of the console', () => {
  const problem = buildProblem(429, 'records-used-up');
  const error = new ApiError({ status: 429, problem });
  const inLocale = (language: 'en' | 'de', locale: string) =>
    explain(error, makeText(language, locale, 'EUR')).text;
  expect(inLocale('en', 'en-US')).toMatch(/\d [AP]M/);
  expect(inLocale('de', 'de-DE')).toMatch(/ab \d\d:\d\d angezeigt/);
});
