/**
 * Which searches to count ahead of requests. Counting few matches takes milliseconds; counting many
 * reads the whole table. Searches with many matches are the beginnings of common words, and a sample of
 * the customers shows which words are common: a new instance is warm without storing anybody's searches.
 */
import { type Lane, type Statement, textColumns, type View } from '@clientele/directory';

const sampled = 4_000;
const most = 64;

/** Chinese, Japanese and Korean characters as people type them: the text contains each of them three times. */
const onceEach = (text: string): string =>
  String.raw`regexp_replace(${text}, '([^\x01-\x7F])\1\1', '\1', 'g')`;

const commonBeginnings = (view: View): Statement => ({
  name: 'common-beginnings',
  text: `
    with sample as (
      select row_number() over () as n, s.${textColumns[view].now} as text
      from only public.customers as s tablesample system ($1::float8)
      limit ${sampled}
    )
    select b.beginning
    from (
      select distinct w.n, left(w.word, length) as beginning
      from (
        select s.n, regexp_split_to_table(${onceEach('s.text')}, '[^[:alnum:]]+') as word from sample as s
      ) as w, generate_series(1, least(length(w.word), 8)) as length
    ) as b
    group by b.beginning
    having count(*) > $2::float8 * (select count(*) from sample)
    order by count(*) desc, b.beginning
    limit ${most}`,
});

/** Texts that match more than a share of all customers, the most common first. */
export async function commonSearches(
  lane: Lane,
  view: View,
  customers: number,
  share: number,
  signal: AbortSignal,
): Promise<string[]> {
  // A sample is of whole pages, some thirty customers each, so ask for a few more than needed.
  const percent = Math.min(100, (200 * sampled) / Math.max(1, customers));
  const values = [percent, share];
  const rows = await lane.query<{ beginning: string }>(commonBeginnings(view), values, signal);
  return rows.map(({ beginning }) => beginning);
}
