/**
 * Which searches are worth counting before anybody asks. Counting few matches takes milliseconds
 * whenever it is asked for; counting many takes a reading of the whole table. Those searches are the
 * beginnings of common words, and the customers themselves tell which words are common: so a new
 * instance is warm where it matters without anybody's searches being written down.
 */
import type { Lane, Statement } from '../../db/lane.ts';

const sampled = 4_000;
const most = 64;

const commonBeginnings: Statement = {
  name: 'common-beginnings',
  text: `
    with sample as (
      select row_number() over () as n, s.search_text
      from public.customers as s tablesample system ($1::float8)
      limit ${sampled}
    )
    select b.beginning
    from (
      select distinct w.n, left(w.word, length) as beginning
      from (
        select s.n, regexp_split_to_table(s.search_text, '[^[:alnum:]]+') as word from sample as s
      ) as w, generate_series(1, least(length(w.word), 8)) as length
    ) as b
    group by b.beginning
    having count(*) > $2::float8 * (select count(*) from sample)
    order by count(*) desc, b.beginning
    limit ${most}`,
};

/** Texts that match more than a share of all customers, the commonest first. */
export async function commonSearches(
  lane: Lane,
  customers: number,
  share: number,
  signal: AbortSignal,
): Promise<string[]> {
  // Pages hold some thirty customers each, so a few more are asked for than are taken.
  const percent = Math.min(100, (200 * sampled) / Math.max(1, customers));
  const values = [percent, share];
  const rows = await lane.query<{ beginning: string }>(commonBeginnings, values, signal);
  return rows.map(({ beginning }) => beginning);
}
