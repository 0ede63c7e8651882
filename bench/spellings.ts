/**
 * `pnpm bench:spellings`: what the other spellings of names and companies cost. Counts, index sizes and matches are
 * compared between two copies of the customers, one with the text of the first rules. Writes are compared with the
 * function of either rules in place. Then the customers get the text of the first rules, and what
 * `clientele search refresh` does replaces it while the service is read. Works on a copy of the customers, because
 * it changes them.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { WireCustomer } from '@clientele/contract';
import { refreshSearch } from '@clientele/server';
import { withClient } from '@clientele/sandbox';
import { listMatches } from '@clientele/sandbox/testing/reference';
import { startWithCustomers } from './customers-database.ts';
import { startService } from './service.ts';
import { spread, summarise } from './statistics.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '15' },
    /** How many customers are inserted one by one, and ten times as many updated at once, in each round. */
    writes: { type: 'string', default: '500' },
  },
});
const customers = Number(values.customers);
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
const row = (name: string, value: string): void =>
  void process.stdout.write(`| ${name} | ${value} |\n`);

let allRules: string | undefined;
const database = await startWithCustomers(customers, say);
try {
  await copyCustomers();
  process.stdout.write('| With spellings ÷ without | Value |\n| --- | ---: |\n');
  await compareSizes();
  await compareCounts();
  await compareMatches();
  await compareWrites();
  await measureRefresh();
} finally {
  await database.stop();
}

/** `first_rules`, `all_rules`, and `changed` with those whose text differs. */
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
  // Whoever is not here has the same text by both rules, and so is found by the same searches.
  await database.query(
    `create table changed as
     select a.*, f.search_text as first_text from all_rules as a join first_rules as f using (uuid)
     where a.search_text <> f.search_text`,
  );
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
       (select count(*) from changed)::float8 as changed`,
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
        const start = await cpuSeconds();
        await database.query(
          `select count(*) from ${copy} where search_text like
             (clientele.search_patterns('${search}') #>> '{terms,0,text}')`,
        );
        times[copy] = (await cpuSeconds()) - start;
      }
      ratios.push(times.all_rules / times.first_rules);
    }
    row(`count of \`${search}\``, rangeOf(ratios));
  }
}

/** The CPU time of the session, which other work on the machine affects less than it affects waiting. */
async function cpuSeconds(): Promise<number> {
  const [session] = await database.query<{ pid: number }>(
    `select pg_backend_pid() as pid, set_config('max_parallel_workers_per_gather', '0', false)`,
  );
  return Number.parseInt(await readFile(`/proc/${session!.pid}/schedstat`, 'utf8')) / 1e9;
}

function rangeOf(ratios: number[]): string {
  const { median, least, most } = spread(ratios);
  return `${median.toFixed(3)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

/** Every match that is new has to be one of the reference implementation, and none may be gone. */
async function compareMatches(): Promise<void> {
  const words = await database.query<{ word: string; before: string }>(
    `select w.word, lag(w.word) over () as before
     from (select search_text from changed where search_text like E'%\x02%' order by uuid limit 60) as a,
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
  let [added, lost, wrong] = [0, 0, 0];
  for (const search of searches) {
    const found = await database.query<WireCustomer & { lost: boolean }>(
      `select c.uuid, c.full_name, c.email_address, c.company_name, c.phone_number, c.created_at,
         c.first_text like p.pattern as lost
       from changed as c, (select clientele.search_patterns($1) #>> '{terms,0,text}' as pattern) as p
       where (c.search_text like p.pattern) <> (c.first_text like p.pattern)`,
      [search],
    );
    const gained = found.filter((customer) => !customer.lost);
    added += gained.length;
    lost += found.length - gained.length;
    wrong += gained.length - listMatches(gained, search).length;
  }
  row(`matches that ${searches.size} searches have gained`, String(added));
  row('wrong ones among them', String(wrong));
  row('matches that are lost', String(lost));
}

/** Puts the function of the first rules, or of all, where the one is that customers are written with. */
async function useRules(rules: 'first_rules' | 'all_rules'): Promise<void> {
  allRules ??= (
    await database.query<{ sql: string }>(
      `select pg_get_functiondef('clientele.search_text'::regproc) as sql`,
    )
  )[0]!.sql;
  const sql = rules === 'all_rules' ? allRules : await firstSearchText('clientele.search_text');
  await database.query(sql);
}

/** In turn, with the triggers that log changes: as many customers with other spellings as the data has. */
async function compareWrites(): Promise<void> {
  const some = await database.query<WireCustomer>(
    `select full_name, email_address, company_name, phone_number from all_rules
     order by uuid limit ${values.writes}`,
  );
  // Each update exchanges names for others, which changes the text of nearly all customers.
  await database.query(
    `create temporary table names as
     select uuid, full_name as before, lead(full_name, 1, full_name) over (order by uuid) as after
     from all_rules order by uuid limit 10 * ${values.writes}`,
  );
  const ratios: Record<'insert' | 'update', number[]> = { insert: [], update: [] };
  let isExchanged = false;
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const times = { first_rules: { insert: 0, update: 0 }, all_rules: { insert: 0, update: 0 } };
    const order = ['first_rules', 'all_rules'] as const;
    for (const rules of round % 2 === 0 ? order : order.toReversed()) {
      await useRules(rules);
      const start = await cpuSeconds();
      for (const customer of some) {
        await database.query(
          `insert into customers (full_name, email_address, company_name, phone_number)
           values ($1, $2, $3, $4)`,
          Object.values(customer),
        );
      }
      const inserted = await cpuSeconds();
      isExchanged = !isExchanged;
      await database.query(
        `update customers as c set full_name = n.${isExchanged ? 'after' : 'before'}
         from names as n where n.uuid = c.uuid`,
      );
      times[rules] = { insert: inserted - start, update: (await cpuSeconds()) - inserted };
    }
    for (const kind of ['insert', 'update'] as const) {
      ratios[kind].push(times.all_rules[kind] / times.first_rules[kind]);
    }
  }
  row(`${values.writes} inserts, each in a transaction`, rangeOf(ratios.insert));
  row(`an update of ${10 * Number(values.writes)} names`, rangeOf(ratios.update));
}

async function measureRefresh(): Promise<void> {
  say('giving customers the text of the first rules');
  await useRules('first_rules');
  await database.query(
    `update customers set full_name = full_name where search_text like E'%\x02%'`,
  );
  await useRules('all_rules');
  await database.query('vacuum (full, analyze) customers');
  const service = await startService(database.url);
  try {
    const paths = ['/v3/customers', '/v3/customers?search=anna', '/v3/customers?search=muller'];
    const read = async (isDone: (times: number) => boolean): Promise<string> => {
      const times: number[] = [];
      while (!isDone(times.length)) {
        times.push((await service.get(paths[times.length % paths.length]!)).ms);
      }
      const { p50, p99 } = summarise(times);
      return `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`;
    };
    await read((times) => times === 100);
    row('a read before the refresh, p50 and p99', await read((times) => times === 2_000));
    say('refreshing');
    let seconds = 0;
    const start = performance.now();
    const refreshed = withClient(database.url, (client) => refreshSearch(client)).finally(() => {
      seconds = (performance.now() - start) / 1_000;
    });
    row('a read during the refresh, p50 and p99', await read(() => seconds > 0));
    row('customers that the refresh compares in a second', (customers / seconds).toFixed(0));
    row('of which it changes', ((await refreshed) / seconds).toFixed(0));
  } finally {
    await service.stop();
  }
}
