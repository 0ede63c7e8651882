/** Access keys: their format, how they are stored, and how soon changes take effect. */
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { scopes } from '@clientele/contract';
import { readConfig } from '@clientele/server';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  insertKey,
  makeAccessKey,
  openDatabase,
  parseAccessKey,
  revokeKey,
  sameHash,
} from '@clientele/directory';
import { KeyRing } from '../src/access/keys/key-ring.ts';
import { withAnotherSecret } from './setup/wrong-key.ts';
import { patient, startTestService, type TestService } from '@clientele/sandbox/testing';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

const statusWith = async (key: string): Promise<number> =>
  (await service.app.inject({ url: '/v3/customers', headers: { authorization: `Bearer ${key}` } }))
    .statusCode;

describe('an access key', () => {
  const made = fc.constant(null).map(makeAccessKey);
  const letters = (length: number) =>
    fc.string({
      unit: fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'),
      minLength: length,
      maxLength: length,
    });

  test('has a prefix, contains its id, and can be parsed', () => {
    fc.assert(
      fc.property(made, ({ id, key, secretHash }) => {
        expect(key).toMatch(/^ck_[0-9a-z]{12}_[0-9A-Za-z]{49}$/);
        expect(key.startsWith(`ck_${id}_`)).toBe(true);
        expect(parseAccessKey(key)).toEqual({ id, secretHash });
      }),
      { numRuns: 1_000 },
    );
  });

  test('has a unique id and a unique secret', () => {
    const all = Array.from({ length: 1_000 }, makeAccessKey);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1_000);
    expect(new Set(all.map(({ secretHash }) => secretHash.toString('hex'))).size).toBe(1_000);
  });

  test('with one character mistyped, or two swapped, is rejected', () => {
    const slip = fc.record({ at: fc.nat(64), put: fc.option(letters(1)) });
    fc.assert(
      fc.property(made, slip, ({ key }, { at, put }) => {
        const typed = [...key];
        if (put !== null) typed[at] = put;
        else typed.splice(at, 2, ...typed.slice(at, at + 2).toReversed());
        fc.pre(typed.join('') !== key);
        expect(parseAccessKey(typed.join(''))).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  test('in any other format is rejected', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          letters(49).map((text) => `ck_0123456789ab_${text}`),
          made.chain(({ key }) =>
            fc.constantFrom(
              key.slice(1),
              key.slice(0, -1),
              `${key}0`,
              ` ${key}`,
              key.toUpperCase(),
            ),
          ),
          made.map(({ key }) => `${key}\n`),
        ),
        (text) => {
          expect(parseAccessKey(text)).toBeUndefined();
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('key hashes', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  test('are equal exactly when their bytes are, at any length', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(sameHash(a, Buffer.from(a))).toBe(true);
        expect(sameHash(a, b)).toBe(a.equals(b));
      }),
    );
  });

  test('are compared in constant time when a request is authenticated', async () => {
    const compare = vi.spyOn(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    const { key } = await service.makeKey();
    expect(await statusWith(key)).toBe(200);
    const { secretHash } = parseAccessKey(key)!;
    expect(compare.mock.calls.at(-1)).toEqual([secretHash, secretHash]);

    // The stored hash is another key's: the id is right and the secret is wrong.
    const other = makeAccessKey();
    const made = makeAccessKey();
    const stored = { ...made, secretHash: other.secretHash };
    await insertKey(await service.database.connect(), stored, 'test', ['customers:list']);
    expect(await statusWith(made.key)).toBe(401);
    expect(compare.mock.calls.at(-1)).toEqual([other.secretHash, made.secretHash]);
  });
});

test('the database stores the hash of the secret, and never the key', async () => {
  const { key, id } = await service.makeKey();
  const secret = key.slice(`ck_${id}_`.length, -6);
  const [row] = await service.database.query<{ whole: string; secret_hash: Buffer }>(
    'select k::text as whole, k.secret_hash from clientele.access_keys as k where k.id = $1',
    [id],
  );
  expect(row!.secret_hash).toEqual(createHash('sha256').update(secret).digest());
  for (const trace of [key, secret, Buffer.from(secret).toString('hex')]) {
    expect(row!.whole).not.toContain(trace);
  }
});

describe('a running service', () => {
  beforeEach(() => {
    // Fakes only the clock of the key ring; timers stay real.
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('accepts a new key at once, even if it was tried before it was created', async () => {
    const client = await service.database.connect();
    const made = makeAccessKey();
    expect(await statusWith(made.key)).toBe(401);
    await insertKey(client, made, 'test', scopes);
    expect(await statusWith(made.key)).toBe(200);
  });

  test('rejects a revoked key within 15 seconds, however often the key is used', async () => {
    const client = await service.database.connect();
    const { key, id } = await service.makeKey();
    expect(await statusWith(key)).toBe(200);
    expect(await revokeKey(client, id)).toBe(true);
    const statuses: number[] = [];
    for (let second = 1; second <= 15; second += 1) {
      vi.advanceTimersByTime(1_000);
      statuses.push(await statusWith(key));
    }
    expect(statuses.at(-1)).toBe(401);
    expect(statuses, 'once rejected, never accepted again').toEqual(
      statuses.toSorted((a, b) => a - b),
    );
  });

  test('rejects a key at once if it was revoked before its first use', async () => {
    const client = await service.database.connect();
    const { key, id } = await service.makeKey();
    expect(await revokeKey(client, id)).toBe(true);
    expect(await statusWith(key)).toBe(401);
  });
});

describe('the key ring', () => {
  const opened = () => {
    const { database, timeouts } = readConfig({ DATABASE_URL: service.database.url }, patient);
    return openDatabase({ ...database, timeouts });
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test('queries a key once for many concurrent requests, then once every 10 seconds', async () => {
    const { key, id } = await service.makeKey();
    const database = opened();
    const queried = vi.spyOn(database.lookups, 'query');
    const ring = new KeyRing(database.lookups);
    const callers = await Promise.all(Array.from({ length: 50 }, () => ring.identify(key)));
    expect(callers).toEqual(
      Array.from({ length: 50 }, () => ({
        kind: 'key',
        id,
        name: 'test',
        scopes: [...scopes],
      })),
    );
    expect(queried).toHaveBeenCalledTimes(1);
    for (let second = 1; second <= 30; second += 1) {
      vi.advanceTimersByTime(1_000);
      expect(await ring.identify(key)).toBeDefined();
    }
    expect(queried).toHaveBeenCalledTimes(4);
    await database.close();
  });

  test('does not cache unknown keys, and never queries malformed ones', async () => {
    const database = opened();
    const queried = vi.spyOn(database.lookups, 'query');
    const ring = new KeyRing(database.lookups);
    const { key } = makeAccessKey();
    for (let time = 1; time <= 3; time += 1) {
      expect(await ring.identify(key)).toBeUndefined();
      expect(queried).toHaveBeenCalledTimes(time);
    }
    expect(
      await ring.identify(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`),
    ).toBeUndefined();
    expect(queried).toHaveBeenCalledTimes(3);
    await database.close();
  });

  test('does the same work for a wrong secret as for an unknown id, so that time reveals no id', async () => {
    const { key, id } = await service.makeKey();
    const revoked = await service.makeKey();
    await revokeKey(await service.database.connect(), revoked.id);
    const database = opened();
    const ring = new KeyRing(database.lookups);
    expect(await ring.identify(key), 'in use, and cached').toBeDefined();
    const queried = vi.spyOn(database.lookups, 'query');
    const compared = vi.spyOn(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    const work: Record<string, object> = {};
    for (const [name, wrong] of [
      ['unknown', makeAccessKey().key],
      ['revoked', revoked.key],
      ['wrong secret', withAnotherSecret(id)],
      ['wrong secret again', withAnotherSecret(id)],
    ] as const) {
      queried.mockClear();
      compared.mockClear();
      let asked = 0;
      const checks = { before: () => (asked += 1), wrong: () => (asked += 10) };
      expect(await ring.identify(wrong, checks), name).toBeUndefined();
      work[name] = {
        queries: queried.mock.calls.length,
        compared: compared.mock.calls.length,
        asked,
      };
    }
    syncBuiltinESMExports();
    const same = { queries: 1, compared: 2, asked: 11 };
    expect(work).toEqual({
      unknown: same,
      revoked: same,
      'wrong secret': same,
      'wrong secret again': same,
    });
    expect(await ring.identify(key), 'the right key is still cached').toBeDefined();
    await database.close();
  });

  test('throws when the database has no free connection, instead of rejecting the key', async () => {
    const { key } = await service.makeKey();
    const database = opened();
    const ring = new KeyRing(database.lookups);
    const { slots } = database.lookups;
    while (slots.taken < slots.size) await slots.take(0);
    await expect(ring.identify(key)).rejects.toMatchObject({ name: 'NoSlotError' });
    while (slots.taken > 0) slots.give();
    expect(await ring.identify(key)).toBeDefined();
    await database.close();
  });
});
