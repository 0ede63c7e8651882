/**
 * Through a pooler, callers see what they see without one, or nothing at all.
 * POOLER_REQUESTS=10000 sends that many requests to each configuration instead of a few hundred.
 */
import { scopes, type WireCustomer } from '@clientele/contract';
import {
  createTestDatabase,
  patient,
  startTestService,
  type TestService,
} from '@clientele/sandbox/testing';
import { findPgBouncer, startPgBouncer, type Pooler } from '@clientele/sandbox/testing/cluster';
import { readConfig } from '@clientele/server';
import { describe, expect, test } from 'vitest';
import { checkDatabase, Nodes, prepareMasking, readMigrations } from '@clientele/directory';
import { Random, randomCustomer } from '@clientele/sandbox/testing';

const requests = Number(process.env['POOLER_REQUESTS'] ?? 300);
const seed = Number(process.env['POOLER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const program = await findPgBouncer();
if (!program) {
  process.stdout.write('PgBouncer is not installed, so its tests are skipped: scripts/bootstrap\n');
}

const ignored = 'extra_float_digits,options';

/** How every refusal begins that has a pooler for its cause. */
const refusal = '"detail":"A connection pooler ';

const quiet = {
  CLIENTELE_WARM_UP: 'off',
  CLIENTELE_CONCURRENCY: '0',
  CLIENTELE_AUDIT_SPOOL: 'none',
};

/** The app itself does not look at the pooler before it serves, unlike `clientele serve`. */
async function startThrough(settings: Record<string, string>) {
  let pooler: Pooler | undefined;
  const service = await startTestService(quiet, {
    via: async (url) => (pooler = await startPgBouncer(program!, url, settings)).url,
  });
  return {
    service,
    pooler: pooler!,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await pooler?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * Lists, searches and lookups of both kinds of callers, eight at a time, each compared with a service without a pooler.
 * `halfway` is called once, while requests are under way.
 */
async function ask(service: TestService, random: Random, halfway?: () => Promise<void>) {
  const { database } = service;
  const customers: Partial<WireCustomer>[] = Array.from({ length: 60 }, () => ({
    ...randomCustomer(random),
    phone_number: '+1 (415) 555-0143',
  }));
  await database.insert(customers);
  await prepareMasking(await database.connect());
  const masked = await service.makeKey(scopes.filter((scope) => scope !== 'customers:contact'));
  const keys = { full: service.key, masked: masked.key };
  await using direct = await startTestService({ ...quiet, DATABASE_URL: database.url });
  const known = new Map<string, string>();
  const expected = async (url: string, who: keyof typeof keys): Promise<string> => {
    const name = `${who} ${url}`;
    if (!known.has(name)) {
      const response = await direct.get(url, { authorization: `Bearer ${keys[who]}` });
      expect(response.statusCode, response.body).toBe(200);
      known.set(name, response.body);
    }
    return known.get(name)!;
  };
  const answers = { full: 0, masked: 0, refused: 0, wrong: [] as object[] };
  let left = requests;
  const send = async (): Promise<void> => {
    while ((left -= 1) >= 0) {
      if (left === Math.floor(requests / 2)) await halfway?.();
      const query = new URLSearchParams({
        search: random.pick(['', 'a', 'smith', 'lee', 'bo']),
        page: String(1 + random.below(2)),
        perPage: '5',
        ...(random.chance(0.3) && { verified: 'false' }),
      });
      const url = random.chance(0.3)
        ? `/v3/customers/${random.pick(customers).uuid}`
        : `/v3/customers?${query}`;
      const who = random.pick(['full', 'masked'] as const);
      const { statusCode, body } = await service.get(url, { authorization: `Bearer ${keys[who]}` });
      const isRefused = body.includes(refusal) || body.includes('"code":"overloaded"');
      if (statusCode === 503 && isRefused) answers.refused += 1;
      else if (statusCode !== 200 || body !== (await expected(url, who))) {
        answers.wrong.push({ who, url, statusCode, body });
      } else answers[who] += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, send));
  expect(await expected('/v3/customers', 'full')).toContain('"total":60');
  return answers;
}

const shared = 'DATABASE_URL leads to a pooler whose clients share sessions';
const refused =
  'A pooler refuses the settings of the connection (unsupported startup parameter: options)';
const options = { ignore_startup_parameters: ignored };
/** With what the check before serving says about each. */
const configurations: Record<string, { settings: Record<string, string>; fault?: string }> = {
  'session mode that ignores options': { settings: { pool_mode: 'session', ...options } },
  'session mode that refuses options': { settings: { pool_mode: 'session' }, fault: refused },
  'session mode without a reset': {
    settings: { pool_mode: 'session', ...options, server_reset_query: '' },
    fault: shared,
  },
  'transaction mode': { settings: { pool_mode: 'transaction', ...options }, fault: shared },
  'transaction mode with few sessions': {
    settings: { pool_mode: 'transaction', ...options, default_pool_size: '3' },
    fault: shared,
  },
  'transaction mode that refuses options': {
    settings: { pool_mode: 'transaction' },
    fault: refused,
  },
  'transaction mode in turns': {
    settings: { pool_mode: 'transaction', ...options, server_round_robin: '1' },
    fault: shared,
  },
  'statement mode': { settings: { pool_mode: 'statement', ...options }, fault: shared },
  'statement mode that refuses options': { settings: { pool_mode: 'statement' }, fault: refused },
};

describe.skipIf(!program)(`through PgBouncer (seed ${seed})`, () => {
  test.each(Object.entries(configurations))(
    'in %s, every response is that of a service without a pooler, or a refusal',
    { timeout: 600_000 + 50 * requests },
    async (_, { settings, fault }) => {
      await using started = await startThrough(settings);
      const { full, masked, ...others } = await ask(started.service, new Random(seed));
      const answered = full + masked;
      expect(others).toEqual({ refused: requests - answered, wrong: [] });
      if (fault === refused) expect(answered).toBe(0);
      if (fault !== undefined) return;
      expect(answered).toBe(requests);
      expect(Math.min(full, masked)).toBeGreaterThan(0);
    },
  );

  test('after a change to transaction mode, every response is right, or a refusal that names the pooler', async () => {
    await using started = await startThrough({ pool_mode: 'session', ...options });
    const { service, pooler } = started;
    const { full, masked, ...others } = await ask(service, new Random(seed), () =>
      pooler.reload({ pool_mode: 'transaction', ...options }),
    );
    expect(others).toEqual({ refused: requests - full - masked, wrong: [] });
    expect(others.refused).toBeGreaterThan(0);
    expect(service.logged()).toContain(`"message":"${shared}`);
    const ready = await service.get('/readyz');
    // Right if the connection happened to get its own session back.
    if (ready.statusCode === 200) return;
    expect([ready.statusCode, ready.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'database-mismatch' }),
    ]);
  });

  test('no statement runs in a session of another connection, not even the first of its name', async () => {
    await using database = await createTestDatabase();
    await using pooler = await startPgBouncer(program!, database.url, {
      pool_mode: 'session',
      ...options,
    });
    const config = readConfig({ ...quiet, DATABASE_URL: pooler.url }, patient);
    const nodes = new Nodes(config);
    try {
      const { lists, searches, masked } = nodes.all[0]!.database;
      const lanes = { lists, searches, maskedLists: masked.lists, maskedSearches: masked.searches };
      const roles = new Map<string, Set<string>>();
      const readRoles = async (round: number): Promise<void> => {
        await Promise.all(
          Object.entries(lanes).map(async ([name, lane]) => {
            const statement = { name: `role ${round}`, text: 'select current_user as role' };
            const [row] = await lane
              .query<{ role: string }>(statement, [])
              .catch(() => [{ role: 'refused' }]);
            roles.set(name, (roles.get(name) ?? new Set()).add(row!.role));
          }),
        );
      };
      for (let round = 0; round < 20; round += 1) await readRoles(round);
      await pooler.reload({ pool_mode: 'transaction', ...options, server_round_robin: '1' });
      for (let round = 20; round < 200; round += 1) await readRoles(round);
      for (const [name, found] of roles) {
        const role = name.startsWith('masked') ? 'clientele_masked_reader' : 'clientele_reader';
        expect([...found], name).toEqual([role, 'refused']);
      }
    } finally {
      await nodes.close();
    }
  });

  test.each(Object.entries(configurations))(
    'the check before serving, in %s',
    async (_, { settings, fault }) => {
      await using database = await createTestDatabase();
      await using pooler = await startPgBouncer(program!, database.url, settings);
      const migrations = await readMigrations();
      // Connections that others have used, so that there is more than one to be given.
      const check = () => checkDatabase(pooler.url, migrations, patient);
      for (const attempt of [check, check]) {
        if (fault === undefined) expect(await attempt()).toEqual([]);
        else {
          await expect(attempt()).rejects.toMatchObject({
            name: 'DatabaseUnfitError',
            message: expect.stringContaining(fault),
          });
        }
      }
    },
  );
});
