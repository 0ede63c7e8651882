import { Agent } from 'node:http';
import { measureBestPlan } from '../bare-engine.ts';
import type { CustomersDatabase } from '../customers-database.ts';
import { list, searchPath } from '../list-requests.ts';
import { requestRowsFirst } from '../rows-first-client.ts';
import { startService, type Service } from '../service.ts';
import { randomNumbers } from '../session-mix.ts';
import { summarise } from '../statistics.ts';
import { columns, order, row, type Bench, type Row } from './measure.ts';

const typed = 500;
/** Broad searches that are being counted next to others, each one new. */
const counts = 5;
/** How many of the texts PostgreSQL alone searches for. */
const compared = 12;

/**
 * v, w: how long somebody waits for the rows of a text that nobody has searched for, alone and while other searches are
 * being counted. A client that has its rows leaves, as somebody who types on does.
 */
export async function firstRows({ database, customers, say }: Bench): Promise<Row[]> {
  const texts = await typedTexts(database, customers);
  const service = await startService(database.url, { CLIENTELE_WARM_UP: 'off' });
  try {
    await service.getWithRetries(list);
    const alone = await timeRows(service, texts.slice(0, typed));
    const counting = countInTurn(service, texts.slice(2 * typed));
    const busy = await timeRows(service, texts.slice(typed, 2 * typed));
    const counted = await counting.stop();
    const bare = await searchBare(database, texts);
    for (const [name, { p50, p95, p99, max, failed, slowest }] of Object.entries({ alone, busy })) {
      const times = [p50, p95, p99, max].map((ms) => ms.toFixed(0)).join(', ');
      const last = slowest.map(({ text, ms }) => `“${text}” ${ms.toFixed(0)}`).join(', ');
      say(`rows, ${name}: p50, p95, p99, slowest ${times} ms; ${failed} failed; ${last}`);
    }
    say(`rows, PostgreSQL alone: p50 ${bare.p50.toFixed(0)}, slowest ${bare.max.toFixed(0)} ms`);
    const raw = { alone, busy, counted, bare };
    const v = row(
      'v',
      `p95 of the wait for rows of uncounted texts, ms (${limits})`,
      alone.p95,
      150,
      raw,
    );
    const w = row('w', 'the same while five other searches are counted, ms', busy.p95, 300, raw);
    return [
      { ...v, holds: v.holds === true && isWithinLimits(alone) },
      { ...w, holds: w.holds === true && busy.failed === 0 },
    ];
  } finally {
    await service.stop();
  }
}

type Waits = Awaited<ReturnType<typeof timeRows>>;

const limits = 'p50 ≤ 50, p99 ≤ 400, slowest ≤ 1,000, none failed';
const isWithinLimits = ({ p50, p99, max, failed }: Waits): boolean =>
  p50 <= 50 && p99 <= 400 && max <= 1_000 && failed === 0;

/** The starts of names, companies and addresses of customers, of one letter and more, each once. */
async function typedTexts(database: CustomersDatabase, customers: number): Promise<string[]> {
  const rows = await database.query<Record<'name' | 'company' | 'email', string | null>>(
    `select lower(full_name) as name, lower(company_name) as company, email_address as email
     from customers tablesample system ($1) repeatable (2) limit 3000`,
    [Math.min(100, 1_000_000 / customers)],
  );
  const numbers = randomNumbers(7);
  const draw = (below: number): number => Math.floor(numbers.next().value * below);
  const texts = rows.flatMap(({ name, company, email }) => {
    const text = [name, name, company, email][draw(4)];
    return text ? [text.slice(0, 1 + draw(Math.min(12, text.length))).trim()] : [];
  });
  return [...new Set(texts)];
}

async function timeRows(service: Service, texts: string[]) {
  const agent = new Agent({ keepAlive: true });
  const waits: { text: string; ms: number; status: number }[] = [];
  for (const text of texts) waits.push({ text, ...(await timeToRows(service, text, agent)) });
  agent.destroy();
  const { p50, p95, p99, max } = summarise(waits.map(({ ms }) => ms));
  const slowest = waits.toSorted((a, b) => b.ms - a.ms).slice(0, 10);
  const failed = waits.filter(({ status }) => status !== 200).length;
  return { p50, p95, p99, max, failed, slowest };
}

async function timeToRows({ origin, headers }: Service, text: string, agent: Agent) {
  const started = performance.now();
  const request = requestRowsFirst(new URL(searchPath(text), origin), headers, agent);
  const status = await request.rows;
  const ms = performance.now() - started;
  request.abandon();
  return { ms, status };
}

/** Keeps several counts going, each of a text that was not counted before. */
function countInTurn(service: Service, texts: string[]) {
  const waiting = [...texts];
  const count = async (): Promise<void> => {
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      // A count that is slow or refused is as good as one that ends.
      await service.get(searchPath(text)).catch(() => undefined);
    }
  };
  const all = Promise.all(Array.from({ length: counts }, count));
  return {
    async stop(): Promise<number> {
      const counted = texts.length - waiting.length;
      waiting.length = 0;
      await all;
      return counted;
    },
  };
}

/** The first page by PostgreSQL alone, with the faster of two plans. */
async function searchBare({ url }: CustomersDatabase, texts: string[]) {
  const times: number[] = [];
  for (const text of texts.slice(0, compared)) {
    const pattern = (text.length < 3 ? `% ${text}%` : `%${text}%`).replaceAll("'", "''");
    const sql = `select ${columns} from customers where search_text like '${pattern}' ${order} limit 25`;
    const plans = [
      { enable_bitmapscan: 'off', enable_seqscan: 'off' },
      { enable_indexscan: 'off' },
    ];
    const best = await measureBestPlan(
      url,
      plans.map((settings) => ({ sql, times: 2, settings })),
    );
    times.push(best.p50);
  }
  return summarise(times);
}
