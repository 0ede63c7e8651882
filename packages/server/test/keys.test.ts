/** Access keys: what they look like, how they are kept, and how soon a change is felt. */
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { insertKey, makeAccessKey, openDatabase, readConfig, revokeKey } from '@clientele/server';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseAccessKey, sameHash } from '../src/keys/access-key.ts';
import { KeyRing } from '../src/keys/key-ring.ts';
import { startTestService, type TestService } from '@clientele/sandbox/testing';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

const statusWith = async (key: string): Promise<number> =>
  (await service.app.inject({ url: '/v3/customers', headers: { authorization: `Bearer ${key}` } }))
    .statusCode;

describe('a key', () => {
  const made = fc.constant(null).map(makeAccessKey);
  const letters = (length: number) =>
    fc.string({
      unit: fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'),
      minLength: length,
      maxLength: length,
    });

  test('is told by its prefix, carries its id, and is read back', () => {
    fc.assert(
      fc.property(made, ({ id, key, secretHash }) => {
        expect(key).toMatch(/^ck_[0-9a-z]{12}_[0-9A-Za-z]{49}$/);
        expect(key.startsWith(`ck_${id}_`)).toBe(true);
        expect(parseAccessKey(key)).toEqual({ id, secretHash });
      }),
      { numRuns: 1_000 },
    );
  });

  test('is never made twice, neither its id nor its secret', () => {
    const all = Array.from({ length: 1_000 }, makeAccessKey);
    expect(new Set(all.map(({ id }) => id)).size).toBe(1_000);
    expect(new Set(all.map(({ secretHash }) => secretHash.toString('hex'))).size).toBe(1_000);
  });

  test('with one character mistyped, or two swapped, is not a key', () => {
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

  test('is nothing else', () => {
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

describe('hashes', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  test('are equal or not as their bytes are, of any length', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(sameHash(a, Buffer.from(a))).toBe(true);
        expect(sameHash(a, b)).toBe(a.equals(b));
      }),
    );
  });

  test('are compared in constant time on the way of a request', async () => {
    const compare = vi.spyOn(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    const { key } = await service.makeKey();
    expect(await statusWith(key)).toBe(200);
    const { secretHash } = parseAccessKey(key)!;
    expect(compare.mock.calls).toEqual([[secretHash, secretHash]]);

    // As good as a right id with a wrong secret: the stored one is another's.
    const other = makeAccessKey();
    const made = makeAccessKey();
    const stored = { ...made, secretHash: other.secretHash };
    await insertKey(await service.database.connect(), stored, 'test', ['customers:list']);
    expect(await statusWith(made.key)).toBe(401);
    expect(compare.mock.calls[1]).toEqual([other.secretHash, made.secretHash]);
  });
});

test('the database keeps the hash of the secret, and nowhere the key', async () => {
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
    // Only the clock that the key ring reads; the database's and the sockets' time is real.
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('accepts a new key at once, even if it was tried before it existed', async () => {
    const client = await service.database.connect();
    const made = makeAccessKey();
    expect(await statusWith(made.key)).toBe(401);
    await insertKey(client, made, 'test', ['customers:list']);
    expect(await statusWith(made.key)).toBe(200);
  });

  test('refuses a revoked key after 15 s at the latest, however busy the key is', async () => {
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
    expect(statuses, 'once refused, never accepted again').toEqual(
      statuses.toSorted((a, b) => a - b),
    );
  });

  test('refuses at once a key that was revoked before it was ever used', async () => {
    const client = await service.database.connect();
    const { key, id } = await service.makeKey();
    expect(await revokeKey(client, id)).toBe(true);
    expect(await statusWith(key)).toBe(401);
  });
});

describe('the key ring', () => {
  const opened = () => openDatabase(readConfig({ DATABASE_URL: service.database.url }).database);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test('asks the database once for a key that many use at once, and once in 10 s after', async () => {
    const { key, id } = await service.makeKey();
    const database = opened();
    const asked = vi.spyOn(database.lookups, 'query');
    const ring = new KeyRing(database.lookups);
    const callers = await Promise.all(Array.from({ length: 50 }, () => ring.identify(key)));
    expect(callers).toEqual(
      Array.from({ length: 50 }, () => ({
        keyId: id,
        name: 'test',
        scopes: ['customers:list', 'customers:lookup'],
      })),
    );
    expect(asked).toHaveBeenCalledTimes(1);
    for (let second = 1; second <= 30; second += 1) {
      vi.advanceTimersByTime(1_000);
      expect(await ring.identify(key)).toBeDefined();
    }
    expect(asked).toHaveBeenCalledTimes(4);
    await database.close();
  });

  test('remembers nothing of a key that does not exist, and asks nothing about what is no key', async () => {
    const database = opened();
    const asked = vi.spyOn(database.lookups, 'query');
    const ring = new KeyRing(database.lookups);
    const { key } = makeAccessKey();
    for (let time = 1; time <= 3; time += 1) {
      expect(await ring.identify(key)).toBeUndefined();
      expect(asked).toHaveBeenCalledTimes(time);
    }
    expect(
      await ring.identify(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`),
    ).toBeUndefined();
    expect(asked).toHaveBeenCalledTimes(3);
    await database.close();
  });

  test('tells when the database has no answer, and does not take that for one', async () => {
    const { key } = await service.makeKey();
    const database = opened();
    const ring = new KeyRing(database.lookups);
    const everySlot = Array.from({ length: database.lookups.slots.size }, () =>
      database.lookups.query({ name: '', text: 'select pg_sleep(0.45)' }, []),
    );
    await expect(ring.identify(key)).rejects.toMatchObject({ name: 'NoSlotError' });
    await Promise.all(everySlot);
    expect(await ring.identify(key)).toBeDefined();
    await database.close();
  });
});
