/**
 * `pnpm bench:spellings`: what the other spellings of names and companies cost. Counts, index sizes and matches are
 * compared between two copies of the customers, one with the text of the first rules; then the customers get that
 * text, and `clientele search refresh` replaces it. The data set is made for this run, because it is changed.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { WireCustomer } from '@clientele/contract';
import { refreshSearch } from '@clientele/server';
import { withClient } from '@clientele/sandbox';
import { listMatches } from '@clientele/sandbox/testing/reference';
import { startWithCustomers } from './customers-database.ts';
import { spread } from './statistics.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '15' },
  },
});
const customers = Number(values.customers);
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
const row = (name: string, value: string): void =>
  void process.stdout.write(`| ${name} | ${value} |\n`);

const database = await startWithCustomers(customers, say);
try {
  await copyCustomers();
  process.stdout.write('| With spellings ÷ without | Value |\n| --- | ---: |\n');
  await compareSizes();
  await compareCounts();
  await compareMatches();
  await measureRefresh();
} finally {
  await database.stop();
}

/** `first_rules` and `all_rules`, with a function for the text of the first rules. */
async function copyCustomers(): Promise<void> {
  await database.query(await firstSearchText('public.first_search_text'));
  const copies = {
    first_rules: 'first_search_text(full_name, email_address, company_name, phone_number)',
    all_rules: 'search_text',
  };
  for (const [name, text] of Object.entries(copies)) {
    say(`copying the customers: ${name}`);
    await database.query(
      `create table ${name} as
       select uuid, full_name, email_address, company_name, phone_number, created_at,
         ${text} collate "C" as search_text
       from customers order by place`,
    );
    await database.query(
      `create index ${name}_search on ${name} using gin (search_text gin_trgm_ops)`,
    );
    await database.query(`vacuum (freeze, analyze) ${name}`);
  }
}

async function firstSearchText(name: string): Promise<string> {
  const file = new URL('../packages/server/migrations/000001_search.sql', import.meta.url);
  const [definition] = /create function clientele\.search_text\([^;]*;/.exec(
    await readFile(file, 'utf8'),
  )!;
  return definition.replace('function clientele.search_text', `or replace function ${name}`);
}

async function compareSizes(): Promise<void> {
  const [size] = await database.query<{ tables: number; indexes: number; changed: number }>(
    `select pg_table_size('all_rules') / pg_table_size('first_rules')::float8 as tables,
       pg_table_size('all_rules_search') / pg_table_size('first_rules_search')::float8 as indexes,
       (select count(*) from all_rules as a join first_rules as f using (uuid)
        where a.search_text <> f.search_text)::float8 as changed`,
  );
  row('customers with spellings', `${((100 * size!.changed) / customers).toFixed(1)} %`);
  row('size of the table', size!.tables.toFixed(4));
  row('size of the trigram index', size!.indexes.toFixed(4));
}

/** In turn, so that noise of the machine affects both. Spellings may add matches, except to the searches here. */
async function compareCounts(): Promise<void> {
  const searches = ['anna', 'muller', 'gmail', 'smith', 'gmbh', 'jo', 'ma', 'maria', 'zzzzqq', 'a'];
  for (const search of searches) {
    const ratios: number[] = [];
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const times = { first_rules: 0, all_rules: 0 };
      const order = ['first_rules', 'all_rules'] as const;
      for (const copy of round % 2 === 0 ? order : order.toReversed()) {
        const start = performance.now();
        await database.query(
          `select count(*) from ${copy} where search_text like
             (clientele.search_patterns('${search}') #>> '{terms,0,text}')`,
        );
        times[copy] = performance.now() - start;
      }
      ratios.push(times.all_rules / times.first_rules);
    }
    const { median, least, most } = spread(ratios);
    row(
      `count of \`${search}\``,
      `${median.toFixed(3)} (${least.toFixed(2)} to ${most.toFixed(2)})`,
    );
  }
}

/** Every match that is new has to be one of the reference implementation, and none may be gone. */
async function compareMatches(): Promise<void> {
  const words = await database.query<{ word: string; before: string }>(
    `select w.word, lag(w.word) over () as before
     from (select search_text from all_rules where search_text like E'%\x02%' order by uuid limit 60) as a,
       string_to_table(split_part(split_part(a.search_text, E'\x01', 1), E'\x02', 2), ' ') as w(word)
     where w.word <> ''`,
  );
  const searches = new Set(
    words.flatMap(({ word, before }) => [
      word,
      word.slice(0, 2),
      word.slice(1, 4),
      word.slice(-3),
      `${(before ?? '').slice(-2)}${word.slice(0, 2)}`,
    ]),
  );
  let added = 0;
  let wrong = 0;
  for (const search of searches) {
    const [first, all] = [await matches('first_rules', search), await matches('all_rules', search)];
    const known = new Set(first.map(({ uuid }) => uuid));
    const found = all.filter(({ uuid }) => !known.has(uuid));
    added += found.length;
    wrong += found.length - listMatches(found, search).length;
    wrong += first.length + found.length - all.length;
  }
  row(`matches that ${searches.size} searches have gained`, String(added));
  row('wrong or lost ones among them', String(wrong));
}

function matches(copy: string, search: string): Promise<WireCustomer[]> {
  return database.query<WireCustomer>(
    `select c.uuid, c.full_name, c.email_address, c.company_name, c.phone_number, c.created_at
     from ${copy} as c
     where c.search_text like (clientele.search_patterns($1) #>> '{terms,0,text}')`,
    [search],
  );
}

async function measureRefresh(): Promise<void> {
  const [now] = await database.query<{ sql: string }>(
    `select pg_get_functiondef('clientele.search_text'::regproc) as sql`,
  );
  say('giving customers the text of the first rules');
  await database.query(await firstSearchText('clientele.search_text'));
  await database.query(
    `update customers set full_name = full_name where search_text like E'%\x02%'`,
  );
  await database.query(now!.sql);
  await database.query('vacuum (full, analyze) customers');
  say('refreshing');
  const start = performance.now();
  const changed = await withClient(database.url, (client) => refreshSearch(client));
  const seconds = (performance.now() - start) / 1_000;
  row('customers that the refresh compares in a second', (customers / seconds).toFixed(0));
  row('of which it changes', (changed / seconds).toFixed(0));
}
