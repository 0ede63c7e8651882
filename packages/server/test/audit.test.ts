/** The read audit: every answer about customers is on record before it is sent. */
import { readdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WireCustomerList } from '@clientele/contract';
import {
  patient,
  startTestService,
  temporaryFolder,
  type TestService,
} from '@clientele/sandbox/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '@clientele/server';
import {
  type AuditEntry,
  AuditLog,
  ChainStore,
  Checkpoints,
  checkpointsIn,
  createSecretFile,
  damagedFiles,
  nobody,
  Nodes,
  queriesOf,
  readSecretFile,
  Spool,
  verifyAudit,
} from '@clientele/directory';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const customers = Array.from({ length: 30 }, (_, i) => ({
  uuid: uuid(i + 1),
  full_name: `Jürgen Sample ${i} {"uuid":"${uuid(999)}"}`,
  email_address: `c${i}@directory.example`,
  is_verified: false,
  total_orders: 0,
  lifetime_value_cents: 0,
  created_at: new Date(Date.UTC(2026, 0, 31, 9, 0, 59 - i)).toISOString(),
}));

interface Entry {
  caller_kind: string;
  caller_id: string;
  caller_name: string;
  address: string;
  action: string;
  request_id: string;
  page: number;
  per_page: number;
  total: string;
  shown: number;
  search_hash: string | null;
  customers: string[];
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: TestService;
let spool: string;

const start = async (env: Record<string, string> = {}): Promise<TestService> => {
  const started = await startTestService({
    CLIENTELE_AUDIT: 'on',
    CLIENTELE_CONCURRENCY: '0',
    CLIENTELE_AUDIT_SPOOL: spool,
    CLIENTELE_SECRET_FILE: folder.path('secret.json'),
    ...env,
  });
  await started.database.insert(customers);
  return started;
};

const entryOf = async (requestId: unknown, { database } = service): Promise<Entry[]> =>
  (await database.query(
    `select e.*, e.customers::text[] as customers
     from clientele.audit_entries as e where e.request_id = $1`,
    [requestId],
  )) as unknown as Entry[];

beforeAll(async () => {
  folder = await temporaryFolder();
  spool = folder.path('spool');
  await createSecretFile(folder.path('secret.json'));
  service = await start();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

describe('an answer', () => {
  test('with a page of customers is recorded with who, what and whom', async () => {
    // Until the list is counted, its rows may be sent, and recorded, before the total is known.
    await service.get('/v3/customers');
    const response = await service.get('/v3/customers?page=2&perPage=7');
    expect(response.statusCode, response.body).toBe(200);
    const [key] = await service.database.query('select id from clientele.access_keys');
    expect(await entryOf(response.headers['x-request-id'])).toMatchObject([
      {
        caller_kind: 'key',
        caller_id: (key as { id: string }).id,
        caller_name: 'test',
        address: '127.0.0.1',
        action: 'list',
        page: 2,
        per_page: 7,
        total: '30',
        shown: 7,
        search_hash: null,
        filters: null,
        sort: null,
        target: null,
        customers: Array.from({ length: 7 }, (_, i) => uuid(i + 8)),
      },
    ]);
  });

  test('with a filtered and sorted list is recorded with both', async () => {
    const query = 'hasOrders=false&joinedFrom=2001-02-03&sort=created_at&perPage=1';
    const response = await service.get(`/v3/customers?${query}`);
    expect(await entryOf(response.headers['x-request-id'])).toMatchObject([
      {
        filters: { hasOrders: false, joinedFrom: '2001-02-03T00:00:00.000Z' },
        sort: 'created_at',
      },
    ]);
  });

  test('to a search is recorded with a hash that hides case and accents, and no text', async () => {
    const hashes: (string | null)[] = [];
    for (const search of ['Jürgen', 'JURGEN', 'sample']) {
      const url = `/v3/customers?search=${encodeURIComponent(search)}`;
      await service.get(url);
      const response = await service.get(url);
      const [entry] = await entryOf(response.headers['x-request-id']);
      expect(entry).toMatchObject({ action: 'search', shown: 25, total: '30' });
      hashes.push(entry!.search_hash);
    }
    expect(hashes[0]).toMatch(/^[\w-]{43}$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  test('to a lookup is recorded', async () => {
    const response = await service.get(`/v3/customers/${uuid(3)}`);
    expect(await entryOf(response.headers['x-request-id'])).toMatchObject([
      { action: 'lookup', shown: 1, total: '1', customers: [uuid(3)] },
    ]);
  });

  test('that shows nobody but says how many there are is recorded', async () => {
    const nobody = { shown: 0, customers: [] };
    for (const [url, entry] of [
      ['/v3/customers?page=9', { action: 'list', page: 9, total: '30', search_hash: null }],
      ['/v3/customers?search=jurgen&page=9', { action: 'search', page: 9, total: '30' }],
      ['/v3/customers?search=absent', { action: 'search', total: '0' }],
      ['/v3/customers/timeline?search=sample', { action: 'timeline', total: '30' }],
      ['/v3/customers/timeline?verified=true', { action: 'timeline', filters: { verified: true } }],
      ['/v3/customers/suggestions?search=jurgne', { action: 'suggestions', total: null }],
    ] as const) {
      const response = await service.get(url);
      const entries = await entryOf(response.headers['x-request-id']);
      expect(entries, url).toMatchObject([{ ...nobody, ...entry }]);
      expect(entries[0]!.search_hash === null, url).toBe(!url.includes('search='));
    }
  });

  test('that says nothing about customers is not recorded', async () => {
    for (const url of [`/v3/customers/${uuid(77)}`, '/v3/customers?page=x']) {
      const response = await service.get(url);
      expect(await entryOf(response.headers['x-request-id'])).toEqual([]);
    }
  });

  test('without authentication is recorded with the address alone', async () => {
    await using open = await start({ CLIENTELE_AUTH: 'none' });
    const response = await open.app.inject({ url: '/v3/customers', remoteAddress: '192.0.2.7' });
    expect(await entryOf(response.headers['x-request-id'], open)).toMatchObject([
      { caller_kind: 'none', caller_id: '', address: '192.0.2.7', shown: 25 },
    ]);
  });

  test('is one of many at once, each with one entry of its own', async () => {
    const responses: Awaited<ReturnType<TestService['get']>>[] = [];
    for (let round = 0; round < 8; round += 1) {
      const pages = Array.from({ length: 25 }, (_, i) => 1 + (i % 5));
      const gets = pages.map((page) => service.get(`/v3/customers?page=${page}&perPage=7`));
      responses.push(...(await Promise.all(gets)));
    }
    const shown = responses.map(({ body }) =>
      (JSON.parse(body) as WireCustomerList).data.map((customer) => customer.uuid),
    );
    for (const [i, { headers }] of responses.entries()) {
      const entries = await entryOf(headers['x-request-id']);
      expect(entries.map((entry) => entry.customers)).toEqual([shown[i]]);
    }
    const [batches] = await service.database.query(
      `select count(*)::int as batches from clientele.audit_batches`,
    );
    expect((batches as { batches: number }).batches, 'entries share batches').toBeLessThan(150);
    const report = await verifyAudit(await service.database.connect(), {});
    expect(report.problems).toEqual([]);
    expect(report.entries).toBeGreaterThan(200);
  });
});

/** Whatever the owner does to the tables. */
describe('verify names', () => {
  let audited: TestService;
  let ends: { chain: string; number: string }[];
  beforeAll(async () => {
    audited = await start();
    for (let page = 1; page <= 2; page += 1) await audited.get(`/v3/customers?page=${page}`);
    for (let i = 0; i < 6; i += 1) await audited.get(`/v3/customers/${uuid(1 + i)}`);
    await audited.app.close();
    ends = await audited.database.query('select chain, number from clientele.audit_chains');
  });
  afterAll(() => audited[Symbol.asyncDispose]());

  const problemsAfter = async (...statements: string[]): Promise<string[]> => {
    const { publicKey } = await readSecretFile(folder.path('secret.json'));
    const log = audited.logged().split('\n');
    await audited.database.query(
      'create table audit_copy as select * from clientele.audit_batches',
    );
    await audited.database.query(
      'create table chains_copy as select * from clientele.audit_chains',
    );
    await audited.database.query(
      'create table checkpoints_copy as select * from clientele.audit_checkpoints',
    );
    try {
      for (const statement of statements) await audited.database.query(statement);
      const client = await audited.database.connect();
      return (await verifyAudit(client, { publicKey, checkpoints: checkpointsIn(log) })).problems;
    } finally {
      await audited.database.query(`
        truncate clientele.audit_batches, clientele.audit_chains, clientele.audit_checkpoints;
        insert into clientele.audit_batches select * from audit_copy;
        insert into clientele.audit_chains select * from chains_copy;
        insert into clientele.audit_checkpoints select * from checkpoints_copy;
        drop table audit_copy, chains_copy, checkpoints_copy`);
    }
  };

  test('nothing where nothing was touched, and every batch is covered by a signed checkpoint', async () => {
    const { publicKey } = await readSecretFile(folder.path('secret.json'));
    const report = await verifyAudit(await audited.database.connect(), { publicKey });
    expect(report).toMatchObject({ chains: 1, entries: 8, signed: 1, unsigned: 0, uncovered: 0 });
    expect(report.problems).toEqual([]);
  });

  test.each([
    [
      'a changed caller',
      `update clientele.audit_batches
       set entries = convert_to(replace(convert_from(entries, 'UTF8'), '"test"', '"Test"'), 'UTF8') where number = 3`,
      /batch 3 of .* was changed/,
    ],
    [
      'a changed customer',
      `update clientele.audit_batches set customers = set_byte(customers, 15, 200) where number = 4`,
      /batch 4 of .* was changed/,
    ],
    [
      'a removed row',
      'delete from clientele.audit_batches where number = 3',
      /batch 4 of .* follows a gap: 1 before it is missing/,
    ],
    [
      'a removed end',
      'delete from clientele.audit_batches where number > 5',
      /batches 6 to 8 at its end are missing/,
    ],
    [
      'rows that changed places',
      'update clientele.audit_batches set number = case number when 3 then 4 else 3 end where number in (3, 4)',
      /batch 3 of .* not in its place/,
    ],
    [
      'a row that is there twice',
      `insert into clientele.audit_batches select chain, number, stored_at + interval '1 ms', entries, customers, hash
       from clientele.audit_batches where number = 2`,
      /batch 2 of .* is there twice/,
    ],
    [
      'a checkpoint with another signature',
      `update clientele.audit_checkpoints set signature = set_byte(signature, 0, get_byte(signature, 0) # 1)`,
      /checkpoint of .* in the database was not signed with this key/,
    ],
  ])('%s', async (_what, statement, problem) => {
    expect((await problemsAfter(statement)).join('\n')).toMatch(problem);
  });

  test('a chain that the owner has rewritten, by the checkpoints in the log', async () => {
    const { chain } = ends[0]!;
    const rewrite = `
      do $$
      declare
        previous bytea := decode(repeat('00', 32), 'hex');
        b record;
      begin
        delete from clientele.audit_batches where number = 2;
        update clientele.audit_batches set number = number - 1 where number > 2;
        for b in select * from clientele.audit_batches order by number loop
          previous := sha256(previous || decode(replace('${chain}', '-', ''), 'hex') || int8send(b.number)
            || int4send(octet_length(b.entries)) || b.entries || b.customers);
          update clientele.audit_batches set hash = previous where number = b.number;
        end loop;
        update clientele.audit_chains set number = number - 1, hash = previous;
        delete from clientele.audit_checkpoints;
      end $$`;
    const problems = await problemsAfter(rewrite);
    expect(problems).toEqual([
      expect.stringMatching(
        /batch 8: the checkpoint of .* in the log is for a batch that is missing/,
      ),
    ]);
  });
});

describe('while the primary cannot record', () => {
  const refuse = 'revoke execute on function clientele.append_audit from clientele_reader';
  const accept = 'grant execute on function clientele.append_audit to clientele_reader';
  const drained = async (database: TestService['database'], ids: unknown[]): Promise<void> => {
    await expect
      .poll(
        async () =>
          (
            await database.query(
              'select from clientele.audit_entries where request_id = any ($1)',
              [ids],
            )
          ).length,
        { timeout: 300_000 },
      )
      .toBe(ids.length);
  };

  test('answers are kept in a file that only its owner can read, and recorded once when it can', async () => {
    await using away = await start();
    await away.get('/v3/customers');
    await away.database.query(refuse);
    const ids: unknown[] = [];
    for (let page = 1; page <= 2; page += 1) {
      const response = await away.get(`/v3/customers?page=${page}`);
      expect(response.statusCode, response.body).toBe(200);
      ids.push(response.headers['x-request-id']);
    }
    const files = await readdir(spool);
    expect(files).toHaveLength(1);
    const path = join(spool, files[0]!);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(spool)).mode & 0o777).toBe(0o700);
    await away.database.query(accept);
    await drained(away.database, ids);
    await expect.poll(() => readdir(spool), { timeout: 300_000 }).toEqual([]);
    const after = await away.get('/v3/customers');
    expect(await entryOf(after.headers['x-request-id'], away)).toHaveLength(1);
    expect((await verifyAudit(await away.database.connect(), {})).problems).toEqual([]);
  });

  test('the last answers before it returns are recorded, even if none follows', async () => {
    await using away = await start();
    await away.app.listen({ host: '127.0.0.1', port: 0 });
    const times = (message: string): number => away.logged().split(message).length - 1;
    const ids: unknown[] = [];
    for (let round = 1; round <= 10; round += 1) {
      await away.database.query(refuse);
      const read = async (page: number): Promise<void> => {
        while (times('the primary records again') < round) {
          const { headers } = await away.get(`/v3/customers?page=${page}`);
          ids.push(headers['x-request-id']);
        }
      };
      const readers = [1, 2, 1, 2].map((page) => read(page));
      await vi.waitUntil(() => times('the primary cannot record') === round, { timeout: 300_000 });
      await away.database.query(accept);
      await Promise.all(readers);
      await expect.poll(() => readdir(spool), { timeout: 300_000 }).toEqual([]);
    }
    await drained(away.database, ids);
    expect((await verifyAudit(await away.database.connect(), {})).problems).toEqual([]);
  });

  test('what an instance that died has left is recorded once, and a torn last line is ignored', async () => {
    await using dead = await start();
    await dead.database.query(refuse);
    const ids: unknown[] = [];
    for (let i = 1; i <= 3; i += 1) {
      ids.push((await dead.get(`/v3/customers/${uuid(i)}`)).headers['x-request-id']);
    }
    await dead.app.close();
    const path = join(spool, (await readdir(spool))[0]!);
    const lines = await readFile(path, 'utf8');
    await writeFile(path, `${lines}${lines.slice(0, 100)}`);
    await dead.database.query(accept);
    // As after a crash between storing and deleting.
    const copy = path.replace('.spool', '0.spool');
    await writeFile(copy, lines);
    for (const each of [path, copy]) await utimes(each, 0, 0);

    const nodes = new Nodes(readConfig({ DATABASE_URL: dead.database.url }, patient));
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const next = new AuditLog({
      primary: nodes.authority.audit,
      log,
      spool: await Spool.open(spool),
      underway: () => 0,
    });
    try {
      void next.keepAdopting();
      await expect.poll(() => readdir(spool), { timeout: 300_000 }).toEqual([]);
      await drained(dead.database, ids);
    } finally {
      await next.close();
      await nodes.close();
    }
    expect((await verifyAudit(await dead.database.connect(), {})).problems).toEqual([]);
  });

  test('an entry that arrives just when the one before it has been stored is stored as well', async () => {
    const nodes = new Nodes(readConfig({ DATABASE_URL: service.database.url }, patient));
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const audit = new AuditLog({ primary: nodes.authority.audit, log, underway: () => 0 });
    const entry: AuditEntry = {
      ...{ caller: nobody, address: '', requestId: 'one after the other', action: 'lookup' },
      ...{ page: 1, perPage: 1, total: null, search: '', customers: Buffer.alloc(0) },
    };
    try {
      await audit.record(entry).then(() => audit.record(entry));
      expect(audit.tally.stored).toBe(2);
    } finally {
      await audit.close();
      await nodes.close();
    }
  });

  test.each([
    ['cannot be written', '/dev/null/none', true],
    ['is switched off', 'none', false],
  ])('and the spool %s, no answer about customers is sent', async (_, folder, warns) => {
    await using full = await start({ CLIENTELE_AUDIT_SPOOL: folder });
    await full.app.listen({ host: '127.0.0.1', port: 0 });
    expect(full.logged().includes('no spool for audit entries')).toBe(warns);
    await full.database.query(refuse);
    for (const url of [
      '/v3/customers',
      '/v3/customers?search=sample',
      '/v3/customers?page=9',
      '/v3/customers/timeline',
      `/v3/customers/${uuid(1)}`,
    ]) {
      const response = await full.get(url);
      expect(response.json()).toMatchObject({ status: 503, code: 'audit-unavailable' });
      expect(response.headers['retry-after']).toBe('2');
    }
    await full.database.query(accept);
    await expect
      .poll(async () => (await full.get('/v3/customers')).statusCode, { timeout: 300_000 })
      .toBe(200);
    expect((await verifyAudit(await full.database.connect(), {})).problems).toEqual([]);
  });
});

test('a month past its time is dropped, and what follows it can still be verified', async () => {
  await using old = await start();
  const { database } = old;
  for (let i = 1; i <= 4; i += 1) await old.get(`/v3/customers/${uuid(i)}`);
  const [month] = await database.query<{ month: string; start: string }>(
    `select to_char(m, 'YYYY_MM') as month, m::date::text as start
     from (select date_trunc('month', now() - interval '30 months') as m) as m`,
  );
  await database.query(`select clientele.add_audit_month('${month!.start}')`);
  await database.query(
    `update clientele.audit_batches set stored_at = '${month!.start}'::timestamptz + interval '1 day' where number <= 2`,
  );
  expect((await verifyAudit(await database.connect(), {})).problems).toEqual([]);
  const dropped = await database.query('select month::text from clientele.keep_audit() as month');
  expect(dropped).toEqual([{ month: month!.start }]);
  const report = await verifyAudit(await database.connect(), {});
  expect(report).toMatchObject({ batches: 2, problems: [] });
  await database.query('delete from clientele.audit_closings');
  expect((await verifyAudit(await database.connect(), {})).problems).not.toEqual([]);
});

test('no month that is to be kept passes for a dropped one, whatever the owner writes', async () => {
  await using audited = await start();
  const { database } = audited;
  for (let i = 1; i <= 4; i += 1) await audited.get(`/v3/customers/${uuid(i)}`);
  const batches = await database.query<{ chain: string; number: string; hash: Buffer }>(
    'select chain, number, hash from clientele.audit_batches order by number',
  );
  const secret = await readSecretFile(folder.path('secret.json'));
  const lines: string[] = [];
  const checkpoints = new Checkpoints({
    primary: queriesOf(await database.connect()),
    log: { info: (line: object) => void lines.push(JSON.stringify(line)), warn: () => undefined },
    secret,
    end: () => ({ ...batches[3]!, number: Number(batches[3]!.number) }),
  });
  await checkpoints.check({ others: false });
  const verify = async () =>
    (
      await verifyAudit(await database.connect(), {
        publicKey: secret.publicKey,
        checkpoints: checkpointsIn(lines),
      })
    ).problems;
  expect(lines).toHaveLength(1);
  expect(await verify()).toEqual([]);
  const close = (month: string) =>
    database.query(
      `insert into clientele.audit_closings (month, chain, number, hash)
       select ${month}, chain, number, hash from clientele.audit_batches where number in (2, 4)`,
    );

  await close(`date_trunc('month', now())`);
  await database.query('delete from clientele.audit_batches where number <= 2');
  expect(await verify(), 'a part, in this month').not.toEqual([]);

  await database.query('delete from clientele.audit_closings');
  await close(`'2001-01-01'`);
  for (const table of ['audit_batches', 'audit_chains', 'audit_checkpoints'])
    await database.query(`delete from clientele.${table}`);
  expect(await verify(), 'all of it, long ago').toEqual([
    expect.stringContaining('in the log is for a batch that is missing'),
  ]);
});

test('a verification names the first month that has to be there, which follows from the retention', async () => {
  await using service = await start();
  const { database } = service;
  await service.get('/v3/customers');
  const kept = async () => (await verifyAudit(await database.connect(), {})).keptSince;
  const month = (ago: number): string => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago))
      .toISOString()
      .slice(0, 7);
  };
  expect(await kept()).toBe(month(24));
  await database.query('update clientele.audit_retention set months = 1');
  expect(await kept()).toBe(month(1));
});

test('what follows damage in the spool is recorded, and the file is reported', async () => {
  await using dead = await start();
  await dead.database.query(
    'revoke execute on function clientele.append_audit from clientele_reader',
  );
  const ids: unknown[] = [];
  for (let i = 1; i <= 3; i += 1) {
    ids.push((await dead.get(`/v3/customers/${uuid(i)}`)).headers['x-request-id']);
  }
  await dead.app.close();
  const path = join(spool, (await readdir(spool))[0]!);
  const [first, second, third] = (await readFile(path, 'utf8')).split('\n');
  await writeFile(path, [first, second!.replace(/....$/, '!!!!'), third, ''].join('\n'));
  await utimes(path, 0, 0);
  await dead.database.query('grant execute on function clientele.append_audit to clientele_reader');
  const nodes = new Nodes(readConfig({ DATABASE_URL: dead.database.url }, patient));
  const adopting = await Spool.open(spool);
  const chains = new ChainStore(nodes.authority.audit);
  const adopted = await adopting.adopt((batches) => chains.storeAll(batches));
  await nodes.close();
  expect(adopted.damaged).toEqual([path.replace('.spool', '.taken.damaged')]);
  const counts: number[] = [];
  for (const id of ids) counts.push((await entryOf(id, dead)).length);
  expect(counts).toEqual([1, 0, 1]);
  const files = await damagedFiles(spool);
  const { problems } = await verifyAudit(await dead.database.connect(), { damagedFiles: files });
  expect(problems).toEqual([expect.stringContaining('.taken.damaged has lines')]);
  await unlink(files[0]!);
});

describe('pages that were read lately', () => {
  const cached = async ({ app }: TestService): Promise<number> => {
    const { body } = await app.inject('/metrics');
    return Number(/source="cached_page"\} (\d+)/.exec(body)?.[1] ?? 0);
  };
  const ordersOf = (body: string): number =>
    (JSON.parse(body) as WireCustomerList).data[0]!.total_orders;

  // Other tests commit to other databases of this cluster, which at times keeps pages from being sent again.
  const atOnce = { interval: 0, timeout: 50_000 };

  test('are sent again, although each answer commits its entry', async () => {
    await using quiet = await start();
    await expect
      .poll(() => quiet.get('/v3/customers').then(() => cached(quiet)), atOnce)
      .toBeGreaterThan(20);
  });

  test('are never older than a commit that ended before the request', async () => {
    await using busy = await start();
    const writer = await busy.database.connect();
    let committed = 0;
    const reading = new AbortController();
    const write = async (): Promise<void> => {
      for (let round = 0; round < 4; round += 1) {
        for (let i = 0; i < 5; i += 1) {
          const next = committed + 1;
          await writer.query('update customers set total_orders = $1', [next]);
          committed = next;
        }
        const before = await cached(busy);
        await expect
          .poll(() => cached(busy), { ...atOnce, message: 'pages sent again' })
          .toBeGreaterThan(before);
      }
    };
    const read = async (): Promise<void> => {
      while (!reading.signal.aborted) {
        const least = committed;
        const { body } = await busy.get('/v3/customers');
        expect(ordersOf(body)).toBeGreaterThanOrEqual(least);
      }
    };
    const written = write().finally(() => reading.abort());
    await Promise.all([written, read(), read(), read(), read()]);
  });
});

test('CLIENTELE_AUDIT=off records nothing', async () => {
  await using off = await start({ CLIENTELE_AUDIT: 'off' });
  expect((await off.get('/v3/customers')).statusCode).toBe(200);
  expect(await off.database.query('select from clientele.audit_batches')).toEqual([]);
});

test('without a secret, entries have no search hash, and the log says so', async () => {
  await using open = await start({ CLIENTELE_SECRET_FILE: '' });
  await open.app.listen({ host: '127.0.0.1', port: 0 });
  expect(open.logged()).toContain('no CLIENTELE_SECRET_FILE');
  const response = await open.get('/v3/customers?search=sample');
  expect(await entryOf(response.headers['x-request-id'], open)).toMatchObject([
    { search_hash: null },
  ]);
});
