/** The metrics answer an operator's questions, cost the database little, and are all on docs/metrics.md. */
import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { problems } from '@clientele/contract';
import {
  createSecretFile,
  eraseCustomers,
  Nodes,
  readSecretFile,
  version,
} from '@clientele/directory';
import { buildApp, readConfig } from '@clientele/server';
import {
  createLoginRole,
  createTestDatabase,
  patient,
  startTestService,
  temporaryFolder,
  type TestDatabase,
  type TestService,
} from '@clientele/sandbox/testing';
import { atMostEvery, FactsReader } from '../src/operations/scraped.ts';
import { serveList } from './setup/served-list.ts';

let service: TestService;
let owner: pg.Client;
let id: string;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.database.connect();
  const { rows } = await owner.query<{ uuid: string }>(
    `insert into customers (full_name, email_address) values ('Ada Example', 'ada@shop.example') returning uuid`,
  );
  id = rows[0]!.uuid;
});
afterAll(() => service[Symbol.asyncDispose]());

type Samples = Map<string, number>;

const toSamples = (text: string): Samples =>
  new Map(
    Array.from(text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm), ([, series, value]) => [
      series!,
      value === '+Inf' ? Infinity : Number(value),
    ]),
  );

async function scrape({ app }: Pick<TestService, 'app'> = service): Promise<Samples> {
  const { statusCode, body } = await app.inject('/metrics');
  expect(statusCode).toBe(200);
  return toSamples(body);
}

/** By how much each of these series grew. */
async function growth(series: string[], work: () => Promise<unknown>): Promise<number[]> {
  const before = await scrape();
  await work();
  const after = await scrape();
  return series.map((name) => after.get(name)! - before.get(name)!);
}

test('they name the version, and the memory that is allowed', async () => {
  const samples = await scrape();
  expect(samples.get(`clientele_build_info{version="${version}"}`)).toBe(1);
  expect(samples.get('clientele_memory_limit_bytes')).toBe(256_000_000);
  expect(samples.get('clientele_page_map_limit_bytes')).toBeGreaterThan(1_000_000);
  expect(samples.get('clientele_page_map_evictions_total')).toBe(0);
});

test('a refusal is counted under its code, and every code is there from the start', async () => {
  const samples = await scrape();
  for (const code of Object.keys(problems)) {
    expect(samples.has(`clientele_refusals_total{code="${code}"}`), code).toBe(true);
  }
  const series = ['unauthenticated', 'customer-not-found', 'invalid-page'].map(
    (code) => `clientele_refusals_total{code="${code}"}`,
  );
  const grown = await growth(series, async () => {
    await service.app.inject('/v3/customers');
    await service.get('/v3/customers/nobody');
    await service.get('/v3/customers?page=0');
  });
  expect(grown).toEqual([1, 1, 1]);
});

test('an answer is counted under its source, and a count under its kind and cause', async () => {
  const source = (name: string) => `clientele_answers_total{source="${name}"}`;
  const series = ['cold_count', 'warm_map', 'lookup'].map(source);
  const grown = await growth(series, async () => {
    await service.get('/v3/customers?search=ada');
    await service.get('/v3/customers?search=ada&per_page=1');
    await service.get(`/v3/customers?search=${id}`);
    await service.get(`/v3/customers/${id}`);
  });
  expect(grown).toEqual([1, 1, 2]);
  const count = (kind: string, cause: string) =>
    `clientele_count_duration_seconds_count{kind="${kind}",cause="${cause}"}`;
  const samples = await scrape();
  expect(samples.get(count('places', 'miss'))).toBe(1);
  expect(samples.get('clientele_searches_remembered')).toBe(1);

  // The log is emptied, so the map cannot be brought up to date.
  await owner.query('truncate clientele.changes');
  await service.get('/v3/customers?search=ada');
  expect((await scrape()).get(count('places', 'outdated'))).toBe(1);
});

test('they say whether the instance is ready, and why it is not', async () => {
  const cause = 'clientele_not_ready{cause="shutting-down"}';
  const ready = async () => {
    const samples = await scrape();
    return [samples.get('clientele_ready'), samples.get(cause)];
  };
  await vi.waitFor(async () => expect(await ready()).toEqual([1, 0]), 300_000);
  service.readiness.draining = true;
  onTestFinished(() => void (service.readiness.draining = false));
  await vi.waitFor(async () => expect(await ready()).toEqual([0, 1]), 300_000);
});

test('without a database they are still served, without the values that it would have to give', async () => {
  const config = readConfig({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, patient);
  const nodes = new Nodes(config);
  const readiness = { checked: true, draining: false };
  const app = await buildApp({ config, nodes, readiness, logStream: { write() {} } });
  onTestFinished(async () => {
    await app.close();
    await nodes.close();
  });
  const samples = await scrape({ app });
  expect(samples.get('clientele_ready')).toBe(0);
  expect(samples.get('clientele_not_ready{cause="database-unavailable"}')).toBe(1);
  expect(samples.has('clientele_change_log_entries')).toBe(false);
  expect(samples.has('clientele_node_lag_seconds{node="127.0.0.1:1"}')).toBe(false);
});

/** As the login of `serve` reads them. */
async function factsOf(database: TestDatabase): Promise<FactsReader> {
  const login = await createLoginRole(database, 'in role clientele_reader');
  const served = serveList(login.url);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return new FactsReader(served.database.lookups);
}

test('they say how long the log is, since when a transaction is open, and when the last import was', async () => {
  await using database = await createTestDatabase();
  const writer = await database.connect();
  const reader = await factsOf(database);
  expect(await reader.read()).toMatchObject({ logEntries: 0, lastImport: null, lag: 0 });

  await writer.query(
    `insert into customers (full_name, email_address)
     select 'Ada ' || i, i || '@shop.example' from generate_series(1, 250) as i`,
  );
  const saved = Math.floor(Date.now() / 1_000) - 3_600;
  await writer.query(
    `insert into clientele.imports (fingerprint, saved_at) values ('x', to_timestamp($1))`,
    [saved],
  );
  const facts = await reader.read();
  expect(facts).toMatchObject({ logEntries: 250, lastImport: saved });
  expect(facts.logBytes).toBeGreaterThan(8_192);

  await writer.query('begin; select pg_current_xact_id()');
  // Whether a transaction is open shows once a later one has ended.
  await owner.query('select pg_current_xact_id()');
  const age = async () => (await reader.read()).oldestTransaction;
  await vi.waitFor(async () => expect(await age()).toBeGreaterThan(0.1), 300_000);
  await writer.query('rollback');
});

test('they say how many customers were erased because plain SQL had brought them back', async () => {
  await using folder = await temporaryFolder();
  const secretFile = folder.path('secret');
  await createSecretFile(secretFile);
  const secret = await readSecretFile(secretFile);
  await using started = await startTestService({ CLIENTELE_SECRET_FILE: secretFile });
  const client = await started.database.connect();
  const insert = async (email: string): Promise<string> =>
    (
      await client.query<{ uuid: string }>(
        `insert into customers (full_name, email_address) values ('Anna', $1) returning uuid`,
        [email],
      )
    ).rows[0]!.uuid;
  const erased = await insert('anna@mail.example');
  await eraseCustomers(client, [erased], { reason: 'asked for it', secret });
  for (const email of ['ANNA@mail.example', '"anna"@mail.example', 'ben@mail.example']) {
    await insert(email);
  }
  const name = 'clientele_suppressed_customers_total';
  expect((await scrape(started)).get(name)).toBe(0);
  await started.app.listen({ port: 0 });
  await vi.waitFor(async () => expect((await scrape(started)).get(name)).toBe(2), 300_000);
});

test('however often they are scraped, the database is asked once', async () => {
  let asked = 0;
  const read = atMostEvery(60_000, async () => (asked += 1));
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  expect(await read()).toBe(1);
  const failing = atMostEvery(60_000, async () => {
    asked += 1;
    throw new Error('down');
  });
  await expect(failing()).rejects.toThrow('down');
  await expect(failing()).rejects.toThrow('down');
  expect(asked).toBe(2);
});

test('docs/metrics.md names every metric of ours with its type and labels, and none that does not exist', async () => {
  // Some metrics are served only with several nodes, and some only with tracing.
  const config = readConfig(
    {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1,127.0.0.1:2/none',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    },
    patient,
  );
  const nodes = new Nodes(config);
  const readiness = { checked: true, draining: false };
  const app = await buildApp({ config, nodes, readiness, logStream: { write() {} } });
  onTestFinished(async () => {
    await app.close();
    await nodes.close();
  });
  const texts = [await app.inject('/metrics'), await service.app.inject('/metrics')].map(
    ({ body }) => body,
  );
  const types = texts.flatMap((text) =>
    Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name, type]) => `${name} ${type}`),
  );
  const page = await readFile(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
  const rows = Array.from(page.matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \|/gm));
  const documented = rows.map(([, name, type]) => `${name} ${type}`);
  expect(documented.filter((each) => !types.includes(each))).toEqual([]);
  const ours = types.filter((each) => each.startsWith('clientele_'));
  expect(ours.filter((each) => !documented.includes(each))).toEqual([]);

  const labels = new Map(
    rows.map(([, name, , cell]) => [name!, Array.from(cell!.matchAll(/`(\w+)`/g), ([, x]) => x!)]),
  );
  const used = texts.flatMap((text) =>
    Array.from(text.matchAll(/^(\w+?)(?:_bucket|_sum|_count)?\{(.*)\} /gm), ([, name, list]) => ({
      name: name!,
      labels: Array.from(list!.matchAll(/(\w+)="/g), ([, label]) => label!),
    })),
  );
  for (const { name, labels: found } of used.filter((each) => each.name.startsWith('clientele_'))) {
    const known = labels.get(name) ?? labels.get(`${name}_count`) ?? [];
    const unknown = found.filter((label) => label !== 'le' && !known.includes(label));
    expect(unknown, `labels of ${name} that the page lacks`).toEqual([]);
  }
});
