/** What is measured, one row for each letter. Ratios are of medians, round by round in one run. */
import type { CustomersDatabase } from './customers-database.ts';
import { askBareEngine, askBestPlan } from './bare-engine.ts';
import { startBareFastify } from './bare-fastify.ts';
import { findLoad } from './http-load.ts';
import { startService, type Service } from './service.ts';
import { median, summarise, type Summary } from './statistics.ts';
import { writeEverySecond } from './writer.ts';

export interface Row {
  letter: string;
  measure: string;
  value: number | null;
  bar: string;
  holds: boolean | null;
  raw: unknown;
}

export interface Bench {
  database: CustomersDatabase;
  customers: number;
  say(line: string): void;
  only: string | undefined;
}

const list = '/v3/customers';
const searchPath = (search: string, page = 1): string =>
  `${list}?search=${encodeURIComponent(search)}&page=${page}`;
const columns = `uuid, full_name, email_address, phone_number, company_name, is_verified, total_orders,
  lifetime_value_cents, last_order_at, created_at`;
const order = 'order by place desc, created_at desc, uuid desc';
const rounds = 5;

const round = (value: number): number => Math.round(value * 1_000) / 1_000;

export async function measureAll(bench: Bench): Promise<Row[]> {
  const wanted = (letter: string): boolean => bench.only?.includes(letter) ?? true;
  const rows: Row[] = [];
  const add = async (letters: string, measure: () => Promise<Row[]>): Promise<void> => {
    if (![...letters].some(wanted)) return;
    bench.say(`measuring ${letters}`);
    rows.push(...(await measure()));
  };
  await add('d', () => coldRare(bench));
  await add('e', () => coldBroad(bench));
  // Its scans would run beside what is measured; what is asked below is warmed by asking.
  const service = await startService(bench.database.url, { CLIENTELE_WARM_UP: 'off' });
  try {
    await add('abc', () => warmPages(bench, service));
    await add('f', () => whileWriting(bench, service));
    await add('g', () => throughput(bench, service));
    await add('i', () => besideScans(bench, service));
    await add('k', () => memory(bench, service));
  } finally {
    await service.stop();
  }
  return rows;
}

async function warmPages({ database, customers }: Bench, service: Service): Promise<Row[]> {
  const gmail = totalOf((await service.askPatiently(searchPath('gmail'))).body);
  // Otherwise all but the first would be answers known already.
  const commit = () => database.commit();
  const lastPage = Math.ceil(customers / 25);
  const paths: Record<string, string> = {
    [`page ${lastPage}`]: `${list}?page=${lastPage}`,
    'gmail 1': searchPath('gmail'),
    [`gmail ${Math.ceil(gmail / 60)}`]: searchPath('gmail', Math.ceil(gmail / 60)),
    'gmail last': searchPath('gmail', Math.ceil(gmail / 25)),
    smith: searchPath('smith'),
    a: searchPath('a'),
    sm: searchPath('sm'),
    'anna gmail': searchPath('anna gmail'),
  };
  for (const path of [list, ...Object.values(paths)]) {
    await service.askPatiently(path);
    await service.latency(path, 30);
  }

  const bareRows = { sql: `select ${columns} from customers ${order} limit 25`, times: 200 };
  const firstPages: Summary[] = [];
  const bare: Summary[] = [];
  const others: Record<string, Summary[]> = {};
  for (let i = 0; i < rounds; i += 1) {
    firstPages.push(await service.latency(list, 150, commit));
    bare.push(await askBareEngine(database.url, bareRows));
    for (const [name, path] of Object.entries(paths)) {
      (others[name] ??= []).push(await service.latency(path, 100, commit));
    }
  }
  const ratios = (name: string): number[] =>
    others[name]!.map(({ p50 }, i) => p50 / firstPages[i]!.p50);
  const deep = `page ${lastPage}`;
  const differences = firstPages.map(({ p50 }, i) => p50 - bare[i]!.p50);
  const searches = Object.keys(paths).filter((name) => name !== deep);
  const worst = Math.max(...searches.map((name) => median(ratios(name))));
  const worstP99 = Math.max(...searches.map((name) => median(others[name]!.map(({ p99 }) => p99))));
  return [
    row('a', `p50 of ${deep} ÷ page 1`, median(ratios(deep)), 2, { ratios: ratios(deep) }),
    row('b', 'p50 of page 1 over HTTP − its rows by the bare engine, ms', median(differences), 1, {
      differences,
      http: firstPages,
      bare,
    }),
    {
      ...row('c', 'slowest warm search, p50 ÷ page 1 (p99 ≤ 50 ms)', worst, 4, {
        ratios: Object.fromEntries(searches.map((name) => [name, ratios(name)])),
        milliseconds: others,
        worstP99,
      }),
      holds: worst <= 4 && worstP99 <= 50,
    },
  ];
}

/** Names that so few have that the index finds them; each is asked once, so each is cold. */
async function coldRare({ database, customers }: Bench): Promise<Row[]> {
  const names = await rareNames(database, customers, 12);
  const service = await startService(database.url, { CLIENTELE_WARM_UP: 'off' });
  try {
    await service.askPatiently(list);
    await service.latency(searchPath('zzzzzz'), 5);
    const ours: number[] = [];
    const bare: number[] = [];
    for (const { name } of names) {
      const condition = `search_text like '%${name}%'`;
      const settings = { enable_seqscan: 'off' };
      // Once before, so that neither side pays for the first touch of the pages.
      await askBareEngine(database.url, {
        sql: `select count(*) from customers where ${condition}`,
        times: 2,
        settings,
      });
      const page = {
        sql: `select ${columns} from customers where ${condition} ${order} limit 25`,
        times: 9,
        settings,
      };
      const count = {
        sql: `select count(*) from customers where ${condition}`,
        times: 9,
        settings,
      };
      bare.push(
        (await askBareEngine(database.url, page)).p50 +
          (await askBareEngine(database.url, count)).p50,
      );
      ours.push((await service.ask(searchPath(name))).ms);
    }
    const ratios = ours.map((ms, i) => ms / bare[i]!);
    return [
      row('d', 'cold rare search ÷ best bare count + page', median(ratios), 1.5, {
        names,
        ours,
        bare,
        ratios,
      }),
    ];
  } finally {
    await service.stop();
  }
}

async function coldBroad({ database }: Bench): Promise<Row[]> {
  const searches = { gmail: '%gmail%', a: '% a%', sm: '% sm%' };
  const raw: Record<string, { ours: number[]; bare: number[] }> = {};
  for (let i = 0; i < 3; i += 1) {
    const service = await startService(database.url, { CLIENTELE_WARM_UP: 'off' });
    try {
      await service.askPatiently(list);
      for (const [search, pattern] of Object.entries(searches)) {
        const { ours, bare } = (raw[search] ??= { ours: [], bare: [] });
        const sql = `select count(*) from customers where search_text like '${pattern}'`;
        bare.push(
          (
            await askBestPlan(database.url, [
              {
                sql,
                times: 3,
                settings: {
                  enable_bitmapscan: 'off',
                  parallel_setup_cost: '0',
                  parallel_tuple_cost: '0',
                },
              },
              { sql, times: 1, settings: { enable_seqscan: 'off' } },
            ])
          ).p50,
        );
        ours.push((await service.askPatiently(searchPath(search))).ms);
      }
    } finally {
      await service.stop();
    }
  }
  const ratios = Object.values(raw).map(({ ours, bare }) =>
    median(ours.map((ms, i) => ms / bare[i]!)),
  );
  return [
    row('e', 'slowest cold broad search ÷ best bare count(*)', Math.max(...ratios), 1.5, raw),
  ];
}

async function whileWriting({ database }: Bench, service: Service): Promise<Row[]> {
  const path = searchPath('gmail');
  await service.askPatiently(path);
  await service.latency(path, 50);
  const quiet: number[] = [];
  const busy: number[] = [];
  for (let i = 0; i < rounds; i += 1) {
    quiet.push((await service.latency(path, 200)).p50);
    const writer = await writeEverySecond(database.url, 200);
    try {
      await writer.writing;
      busy.push((await service.latency(path, 400)).p50);
    } finally {
      await writer.stop();
    }
  }
  const ratios = busy.map((ms, i) => ms / quiet[i]!);
  return [
    row('f', 'warm search with 200 searchable changes/s ÷ without', median(ratios), 3, {
      quiet,
      busy,
      ratios,
    }),
  ];
}

async function throughput({ database }: Bench, service: Service): Promise<Row[]> {
  const { name: generator, load } = await findLoad();
  const [someone] = await database.query<{ uuid: string }>('select uuid from customers limit 1');
  const raw: Record<string, { ours: number[]; bare: number[] }> = {};
  const subjects = { 'page 1': list, lookup: `${list}/${someone!.uuid}` };
  for (const [name, path] of Object.entries(subjects)) {
    const { body } = await service.askPatiently(path);
    const fastify = await startBareFastify(body);
    const { ours, bare } = (raw[name] = { ours: [] as number[], bare: [] as number[] });
    try {
      const options = { paths: [path], connections: 32, seconds: 4, headers: service.headers };
      await load({ ...options, origin: service.origin, seconds: 2 });
      for (let i = 0; i < rounds; i += 1) {
        bare.push((await load({ ...options, origin: fastify.origin })).perSecond);
        ours.push((await load({ ...options, origin: service.origin })).perSecond);
      }
    } finally {
      await fastify.stop();
    }
  }
  const ratios = Object.values(raw).map(({ ours, bare }) =>
    median(ours.map((rate, i) => rate / bare[i]!)),
  );
  const least = Math.min(...ratios);
  const whileCommitting = await besideCommits(database, () =>
    load({
      paths: [list],
      connections: 32,
      seconds: 4,
      headers: service.headers,
      origin: service.origin,
    }),
  );
  return [
    {
      ...row(
        'g',
        `requests/s of page 1 and of a lookup ÷ Fastify from memory (${generator})`,
        least,
        0.5,
        { ...raw, 'page 1 beside 100 commits a second': whileCommitting.perSecond },
      ),
      bar: '≥ 0.5',
      holds: least >= 0.5,
    },
  ];
}

async function besideCommits<T>(database: CustomersDatabase, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void database.commit(), 10);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Lookups while searches that match many, none of them seen before, follow each other. */
async function besideScans({ database }: Bench, service: Service): Promise<Row[]> {
  const ids = await database.query<{ uuid: string }>('select uuid from customers limit 200');
  const lookups = async (times: number): Promise<number> => {
    const all: number[] = [];
    for (let i = 0; i < times; i += 1) {
      all.push((await service.ask(`${list}/${ids[i % ids.length]!.uuid}`)).ms);
    }
    return summarise(all).p99;
  };
  await lookups(300);
  const letters = [...'abcdefghijklmnoprstuvwyz'];
  const pairs = letters.flatMap((a) => letters.filter((b) => b > a).map((b) => `${a} ${b}`));
  const quiet: number[] = [];
  const busy: number[] = [];
  let scans = 0;
  for (let i = 0; i < 3; i += 1) {
    quiet.push(await lookups(600));
    const scanner = { on: true };
    const scanning = (async () => {
      while (scanner.on) {
        await service.ask(searchPath(pairs[scans++ % pairs.length]!)).catch(() => undefined);
      }
    })();
    busy.push(await lookups(600));
    scanner.on = false;
    await scanning;
  }
  const ratios = busy.map((ms, i) => ms / quiet[i]!);
  return [
    row('i', 'p99 of lookups beside cold broad searches ÷ quiet', median(ratios), 3, {
      quiet,
      busy,
      scans,
      ratios,
    }),
  ];
}

async function memory({ database, customers }: Bench, service: Service): Promise<Row[]> {
  const before = await service.memoryMb();
  const names = await database.query<{ name: string }>(
    `select distinct regexp_replace(lower(full_name), '[^a-z]+', '', 'g') as name
     from customers tablesample system ($1) limit 10000`,
    [Math.min(100, 5_000_000 / customers)],
  );
  const texts = names.map(({ name }) => name).filter((name) => name.length > 2);
  for (let i = 0; texts.length < 10_000; i += 1) texts.push(`x${i.toString(36)}z`);
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < 10_000) await service.ask(searchPath(texts[next++]!)).catch(() => undefined);
  };
  await Promise.all([client(), client(), client()]);
  const after = await service.memoryMb();
  return [row('k', 'memory after 10,000 distinct searches, MB', after, 256, { before, after })];
}

/** How a, b and c compare with those of a tenth of the customers, as its run recorded them. */
export function againstSmaller(rows: Row[], smaller: Row[]): Row[] {
  const ratios: Record<string, number> = {};
  for (const letter of 'abc') {
    const now = rows.find((r) => r.letter === letter)?.value;
    const then = smaller.find((r) => r.letter === letter)?.value;
    if (now != null && then != null) ratios[letter] = now / then;
  }
  const values = Object.values(ratios);
  if (values.length === 0) return [];
  return [
    row(
      'h',
      'a, b, c here ÷ at a tenth of this size, the largest',
      Math.max(...values),
      1.5,
      ratios,
    ),
  ];
}

async function rareNames(database: CustomersDatabase, customers: number, count: number) {
  const candidates = await database.query<{ name: string }>(
    `select distinct lower(split_part(full_name, ' ', 2)) as name
     from customers tablesample system ($1) where full_name ~ '^[A-Z][a-z]+ [A-Z][a-z]{5,}$' limit 400`,
    [Math.min(100, 2_000_000 / customers)],
  );
  const names: { name: string; matches: number }[] = [];
  for (const { name } of candidates) {
    if (names.length === count) break;
    const [found] = await database.query<{ matches: number }>(
      'select count(*)::int as matches from customers where search_text like $1',
      [`%${name}%`],
    );
    const { matches } = found!;
    if (matches >= customers * 5e-5 && matches <= customers * 5e-4) names.push({ name, matches });
  }
  return names;
}

const totalOf = (body: string): number =>
  (JSON.parse(body) as { pagination: { total: number } }).pagination.total;

function row(letter: string, measure: string, value: number, bar: number, raw: unknown): Row {
  return { letter, measure, value: round(value), bar: `≤ ${bar}`, holds: value <= bar, raw };
}
