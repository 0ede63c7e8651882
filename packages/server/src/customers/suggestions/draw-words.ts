/** Draws the words of a sample of customers: those of their names and companies that at least five of them share. */
import { estimate, everyone, type Queries, type Statement } from '@clientele/directory';
import { longestWord } from './distance.ts';
import { KnownWords, shortestWord, type WordCount } from './known-words.ts';

/** How many customers are sampled: all of a small directory, 7.5 % of ten million. */
const sampled = 750_000;
/** How many words are kept, the most frequent ones: one or two megabytes. */
const mostWords = 40_000;
/** A word that fewer customers share may identify one of them. */
export const fewestCustomers = 5;

export async function drawWords(lane: Queries, signal: AbortSignal): Promise<KnownWords> {
  const customers = await estimate(lane, everyone.full, signal);
  const percent = Math.min(100, (100 * sampled) / Math.max(1, customers));
  const [row] = await lane.query<{ lines: string }>(wordsStatement, [percent], signal);
  return KnownWords.of(wordCounts(row!.lines));
}

/** What lines say that consist of a number and a word. */
function* wordCounts(lines: string): Generator<WordCount> {
  for (const [, count, word] of lines.matchAll(/^(\d+) (.+)$/gm)) {
    yield { word: word!, count: Number(count) };
  }
}

/**
 * A word counts once for each customer, which is what `ndoc` is. Commas, dots and hyphens become spaces; apostrophes
 * are removed, as searches ignore them. Words with anything rarer in them are left out: every character is compared
 * with each of these. One text takes a tenth of the memory of a row for each word.
 */
const wordsStatement: Statement = {
  name: 'sampled-words',
  text: `
    select coalesce(string_agg(w.ndoc || ' ' || w.word, E'\\n' order by w.ndoc desc, w.word), '') as lines
    from (select word, ndoc from ts_stat(format($query$
      select array_to_tsvector(array_remove(string_to_array(translate(
        lower(concat_ws(' ', s.full_name, s.company_name) collate "und-x-icu"),
        E',.-''\\u2019', '   '), ' '), ''))
      from only public.customers as s tablesample system (%s)
      limit ${sampled}
    $query$, $1::float8))
    where ndoc >= ${fewestCustomers} and length(word) between ${shortestWord} and ${longestWord}
    order by ndoc desc, word
    limit ${mostWords}) as w`,
};
