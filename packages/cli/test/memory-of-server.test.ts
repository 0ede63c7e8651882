/**
 * A server stays within 1.25 times CLIENTELE_MEMORY_MB, the limit that the runbooks advise for its container, whatever
 * it is asked. MEMORY_REQUESTS=50000 sends that many requests instead of 500.
 */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { copyCustomers } from '@clientele/sandbox/generator';
import { createTestDatabase, temporaryFolder } from '@clientele/sandbox/testing';
import { insertKey, makeAccessKey } from '@clientele/server';
import { clientele, startService } from './setup/executable.ts';

const requests = Number(process.env['MEMORY_REQUESTS'] ?? 500);
const memoryMb = 256;

const words =
  'anna ben carla dora emil smith jones garcia müller rossi 555 example.com gmbh ltd'.split(' ');
const sorts = ['', '-total_orders', 'lifetime_value_cents', '-last_order_at'];
const random = (below: number): number => Math.floor(Math.random() * below);
const oneOf = <T>(values: T[]): T => values[random(values.length)]!;

/** Lists, searches of one to three words, timelines and suggestions, with random filters and orders. */
function randomPath(): string {
  const text = Array.from({ length: random(4) }, () => {
    const word = oneOf(words);
    return word.slice(0, 2 + random(word.length)) + (random(3) === 0 ? random(1_000) : '');
  }).join(' ');
  const query = new URLSearchParams({ search: text });
  if (random(3) === 0) query.set('verified', String(random(2) === 0));
  if (random(3) === 0) query.set('hasOrders', String(random(2) === 0));
  if (random(4) === 0) query.set('joinedFrom', `20${10 + random(15)}-0${1 + random(9)}-01`);
  if (random(8) === 0) return `/timeline?${query}`;
  if (random(12) === 0 && text) return `/suggestions?search=${encodeURIComponent(text)}`;
  query.set('page', String(1 + random(50)));
  query.set('perPage', oneOf(['10', '25', '100']));
  const sort = oneOf(sorts);
  if (sort) query.set('sort', sort);
  return `?${query}`;
}

async function makeKeys(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const full = makeAccessKey();
  const masked = makeAccessKey();
  const reading = ['customers:list', 'customers:search', 'customers:lookup'] as const;
  await insertKey(client, full, 'full', [...reading, 'customers:contact']);
  await insertKey(client, masked, 'masked', [...reading]);
  await client.end();
  return [full.key, masked.key];
}

test.runIf(process.platform === 'linux')(
  `${requests} requests of all kinds take no more memory than 1.25 times the setting`,
  { timeout: 600_000 + 100 * requests },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    await copyCustomers(await database.connect(), 1, 10_000);
    const env = { DATABASE_URL: database.url };
    for (const order of ['total_orders', 'lifetime_value_cents', 'last_order_at']) {
      expect((await clientele(['sort', 'enable', order], env)).code).toBe(0);
    }
    expect((await clientele(['masking', 'prepare'], env)).code).toBe(0);
    const keys = await makeKeys(database.url);
    await using service = await startService({
      ...env,
      CLIENTELE_MEMORY_MB: String(memoryMb),
      CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
    });
    let [sent, answered, peak] = [0, 0, 0];
    const client = async (): Promise<void> => {
      while (sent < requests) {
        sent += 1;
        const response = await fetch(`${service.url}/v3/customers${randomPath()}`, {
          headers: { authorization: `Bearer ${oneOf(keys)}` },
        });
        await response.arrayBuffer();
        if (response.status === 200) answered += 1;
        if (sent % 50 === 0) {
          const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
          peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1_024);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    process.stdout.write(`${JSON.stringify({ requests, answered, peakMb: Math.round(peak) })}\n`);
    expect(answered, 'most requests are answered').toBeGreaterThan(requests / 2);
    expect(peak).toBeLessThan(1.25 * memoryMb);
  },
);
