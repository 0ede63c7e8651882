/**
 * Through a pooler, callers see what they see without one, or nothing at all.
 * POOLER_REQUESTS=10000 sends that many requests to each configuration instead of a few hundred.
 */
import { scopes, type WireCustomer } from '@clientele/contract';
import { prepareMasking, readMigrations } from '@clientele/server';
import { createTestDatabase, startTestService, type TestService } from '@clientele/sandbox/testing';
import { findPgBouncer, startPgBouncer, type Pooler } from '@clientele/sandbox/testing/cluster';
import { describe, expect, test } from 'vitest';
import { checkDatabase } from '../src/db/check-database.ts';
import { randomCustomer } from './setup/random-customers.ts';
import { Random } from './setup/random.ts';

const requests = Number(process.env['POOLER_REQUESTS'] ?? 300);
const seed = Number(process.env['POOLER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const program = await findPgBouncer();
if (!program) {
  process.stdout.write('PgBouncer is not installed, so its tests are skipped: scripts/bootstrap\n');
}

const ignored = 'extra_float_digits,options';

/** The app itself does not look at the pooler before it serves, unlike `clientele serve`. */
async function startThrough(settings: Record<string, string>) {
  let pooler: Pooler | undefined;
  const service = await startTestService(
    { CLIENTELE_WARM_UP: 'off', CLIENTELE_CONCURRENCY: '0', CLIENTELE_AUDIT_SPOOL: 'none' },
    async (url) => (pooler = await startPgBouncer(program!, url, settings)).url,
  );
  return {
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await pooler?.[Symbol.asyncDispose]();
    },
  };
}

/** Lists, searches and lookups of both kinds of callers, eight at a time. */
async function ask(service: TestService, random: Random) {
  const owner = await service.database.connect();
  const customers: Partial<WireCustomer>[] = Array.from({ length: 60 }, () => ({
    ...randomCustomer(random),
    phone_number: '+1 (415) 555-0143',
  }));
  await service.database.insert(customers);
  await prepareMasking(owner);
  const masked = await service.makeKey(scopes.filter((scope) => scope !== 'customers:contact'));
  const answers = { full: 0, masked: 0, refused: 0, leaked: 0, withheld: 0 };
  let left = requests;
  const send = async (): Promise<void> => {
    while ((left -= 1) >= 0) {
      const query = new URLSearchParams({
        search: random.pick(['', 'a', 'smith', 'lee', 'bo']),
        page: String(1 + random.below(2)),
        perPage: '5',
        ...(random.chance(0.3) && { verified: 'false' }),
      });
      const url = random.chance(0.3)
        ? `/v3/customers/${random.pick(customers).uuid}`
        : `/v3/customers?${query}`;
      const who = random.chance(0.5) ? 'full' : 'masked';
      const { key } = who === 'full' ? service : masked;
      const { statusCode, body } = await service.get(url, { authorization: `Bearer ${key}` });
      if (statusCode !== 200) answers.refused += 1;
      else {
        answers[who] += 1;
        const shows = body.includes('555-0143');
        if (who === 'masked' && shows) answers.leaked += 1;
        if (who === 'full' && body.includes('"uuid"') && !shows) answers.withheld += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, send));
  return answers;
}

describe.skipIf(!program)(`through PgBouncer (seed ${seed})`, () => {
  test(
    'in session mode that ignores options, everybody is answered, and sees what they may',
    { timeout: 120_000 + 50 * requests },
    async () => {
      await using started = await startThrough({
        pool_mode: 'session',
        ignore_startup_parameters: ignored,
      });
      const { full, masked, ...others } = await ask(started.service, new Random(seed));
      expect(others).toEqual({ refused: 0, leaked: 0, withheld: 0 });
      expect(full + masked).toBe(requests);
      expect(Math.min(full, masked)).toBeGreaterThan(0);
    },
  );

  test.each(['transaction', 'statement'])(
    'in %s mode, which `serve` refuses, nobody would see what they may not',
    { timeout: 120_000 + 50 * requests },
    async (pool_mode) => {
      await using started = await startThrough({
        pool_mode,
        ignore_startup_parameters: ignored,
      });
      expect(await ask(started.service, new Random(seed))).toMatchObject({
        leaked: 0,
        withheld: 0,
      });
    },
  );

  const shared = 'DATABASE_URL leads to a pooler whose clients share sessions';
  const refused =
    'A pooler refuses the settings of the connection (unsupported startup parameter: options)';
  test.each<[string, Record<string, string>, string | undefined]>([
    ['session', { ignore_startup_parameters: ignored }, undefined],
    ['session', {}, refused],
    ['transaction', {}, refused],
    ['transaction', { ignore_startup_parameters: ignored }, shared],
    ['transaction', { ignore_startup_parameters: ignored, server_round_robin: '1' }, shared],
    ['statement', { ignore_startup_parameters: ignored }, shared],
    ['session', { ignore_startup_parameters: ignored, server_reset_query: '' }, shared],
  ])('the check before serving, in %s mode with %o: %s', async (pool_mode, settings, fault) => {
    await using database = await createTestDatabase();
    await using pooler = await startPgBouncer(program!, database.url, { pool_mode, ...settings });
    const migrations = await readMigrations();
    // Connections that others have used, so that there is more than one to be given.
    const check = () => checkDatabase(pooler.url, migrations);
    for (const attempt of [check, check]) {
      if (fault === undefined) expect(await attempt()).toEqual([]);
      else {
        await expect(attempt()).rejects.toMatchObject({
          name: 'DatabaseUnfitError',
          message: expect.stringContaining(fault),
        });
      }
    }
  });
});
