/**
 * A server stays within 1.25 times CLIENTELE_MEMORY_MB, the limit that the runbooks advise for its container, whatever
 * it is asked. MEMORY_REQUESTS=50000 sends that many requests instead of 500, about ten times as many customers.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@clientele/contract';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { copyCustomers } from '@clientele/sandbox/generator';
import { createTestDatabase, temporaryFolder } from '@clientele/sandbox/testing';
import { insertKey, makeAccessKey } from '@clientele/directory';
import { clientele, startService } from './setup/executable.ts';

const requests = Number(process.env['MEMORY_REQUESTS'] ?? 500);
const customers = requests < 5_000 ? 10_000 : 100_000;
const memoryMb = 256;

const sorts = ['', '-total_orders', 'lifetime_value_cents', '-last_order_at'];
const random = (below: number): number => Math.floor(Math.random() * below);
const oneOf = <T>(values: T[]): T => values[random(values.length)]!;

interface Known {
  uuids: string[];
  /** Of names, companies, addresses and phone numbers. */
  words: string[];
}

async function readKnown(client: pg.Client): Promise<Known> {
  const { rows } = await client.query<{ uuid: string; text: string }>(
    `select uuid, concat_ws(' ', full_name, company_name, email_address, phone_number) as text
     from customers order by uuid limit 5000`,
  );
  return {
    uuids: rows.map(({ uuid }) => uuid),
    words: rows.flatMap(({ text }) => text.split(/\s+/)),
  };
}

/** Lists, searches of one to three words, lookups, timelines and suggestions, with random filters and orders. */
function randomPath({ uuids, words }: Known): string {
  if (random(6) === 0) return `/${oneOf(uuids)}`;
  const text = Array.from({ length: random(4) }, () => {
    const word = Array.from(oneOf(words));
    return word.slice(0, 2 + random(word.length)).join('');
  }).join(' ');
  const query = new URLSearchParams({ search: text });
  if (random(3) === 0) query.set('verified', String(random(2) === 0));
  if (random(3) === 0) query.set('hasOrders', String(random(2) === 0));
  if (random(4) === 0)
    query.set('joinedFrom', `20${10 + random(15)}-0${1 + random(9)}-01T00:00:00Z`);
  if (random(8) === 0) return `/timeline?${query}`;
  if (random(12) === 0 && text) return `/suggestions?search=${encodeURIComponent(text)}`;
  query.set('page', String(1 + random(random(2) === 0 ? 1 : 50)));
  query.set('perPage', oneOf(['10', '25', '100']));
  const sort = oneOf(sorts);
  if (sort) query.set('sort', sort);
  return `?${query}`;
}

/** Changes, adds and deletes customers until the signal fires. */
async function write(client: pg.Client, uuids: string[], signal: AbortSignal): Promise<number> {
  let written = 0;
  while (!signal.aborted) {
    await client.query(
      `update customers set phone_number = '+1 202 555 01' || total_orders % 100, total_orders = total_orders + 1
       where uuid = any ($1)`,
      [Array.from({ length: 1 + random(20) }, () => oneOf(uuids))],
    );
    await client.query(
      `with added as (
         insert into customers (uuid, full_name, email_address)
         select gen_random_uuid(), 'Passing Guest', 'guest@example.com' from generate_series(1, 5)
       )
       delete from customers where full_name = 'Passing Guest'`,
    );
    written += 1;
    await sleep(20);
  }
  return written;
}

async function makeKeys(client: pg.Client): Promise<string[]> {
  const full = makeAccessKey();
  const masked = makeAccessKey();
  const reading = ['customers:list', 'customers:search', 'customers:lookup'] as const;
  await insertKey(client, full, 'full', [...reading, 'customers:contact']);
  await insertKey(client, masked, 'masked', [...reading]);
  return [full.key, masked.key];
}

test.runIf(process.platform === 'linux')(
  `${requests} requests of all kinds take no more memory than 1.25 times the setting`,
  { timeout: 600_000 + 100 * requests },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    const writer = await database.connect();
    await copyCustomers(writer, 1, customers);
    const env = { DATABASE_URL: database.url };
    for (const order of ['total_orders', 'lifetime_value_cents', 'last_order_at']) {
      expect((await clientele(['prepare', 'sort', order], env)).code).toBe(0);
    }
    expect((await clientele(['prepare', 'masking'], env)).code).toBe(0);
    const keys = await makeKeys(writer);
    const known = await readKnown(writer);
    await using service = await startService({
      ...env,
      CLIENTELE_MEMORY_MB: String(memoryMb),
      CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
    });
    const responses: Record<string, number> = {};
    let [sent, peak] = [0, 0];
    const send = async (): Promise<string> => {
      const isAborted = random(20) === 0;
      try {
        const response = await fetch(`${service.url}/v3/customers${randomPath(known)}`, {
          headers: {
            authorization: `Bearer ${oneOf(keys)}`,
            ...(random(3) === 0 && { prefer: 'rows-first' }),
          },
          ...(isAborted && { signal: AbortSignal.timeout(random(30)) }),
        });
        const body = await response.text();
        return response.ok ? 'ok' : (JSON.parse(body) as Problem).code;
      } catch (error) {
        if (isAborted) return 'aborted';
        // The total of a list with its rows first could not be counted.
        if (error instanceof TypeError && error.message === 'terminated') return 'cut';
        throw error;
      }
    };
    const client = async (): Promise<void> => {
      while (sent < requests) {
        sent += 1;
        const outcome = await send();
        responses[outcome] = (responses[outcome] ?? 0) + 1;
        if (sent % 50 === 0) {
          const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
          peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1_024);
        }
      }
    };
    const stop = new AbortController();
    const writing = write(writer, known.uuids, stop.signal);
    let written = 0;
    try {
      await Promise.all(Array.from({ length: 8 }, client));
    } finally {
      stop.abort();
      written = await writing;
    }
    const report = { requests, customers, written, ...responses, peakMb: Math.round(peak) };
    process.stdout.write(`${JSON.stringify(report)}\n`);
    const { ok = 0, aborted = 0, overloaded = 0 } = responses;
    expect(ok, 'most requests are answered').toBeGreaterThan(requests / 2);
    expect(ok).toBeGreaterThan(0.95 * (sent - aborted - overloaded));
    expect(peak).toBeLessThan(1.25 * memoryMb);
  },
);
