/** Suggestions over HTTP: words that many customers share, exact counts, and nothing of rare or erased people. */
import { randomUUID } from 'node:crypto';
import { scopes, type WireSuggestions } from '@clientele/contract';
import { prepareMasking } from '@clientele/directory';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import { Suggestions } from '../src/customers/suggestions/suggestions.ts';
import { serveList } from './setup/served-list.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

let service: TestService;
let masked: string;

const person = (full_name: string, company_name: string | null = null, email = 'somebody') => ({
  uuid: randomUUID(),
  full_name,
  email_address: `${email}@directory.example`,
  company_name,
  is_verified: false,
  total_orders: 0,
  lifetime_value_cents: 0,
  created_at: '2026-01-31T09:05:00.000Z',
});
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const until = { timeout: 300_000, interval: 200 };

beforeAll(async () => {
  service = await startTestService();
  await service.database.insert([
    ...times(12, () => person('Anna Schmidt')),
    ...times(7, () => person('Bo Schmitt', 'Windmühle GmbH')),
    ...times(4, () => person('Cleo Rarename')),
    // Twice in one name is still one customer.
    ...times(4, () => person('Doubled Doubled')),
    ...times(5, () => person('Eve Fivefold')),
    ...times(30, () => person('Finn Other', null, 'mailword')),
    ...times(6, () => person("Pat O'Brien")),
  ]);
  await prepareMasking(await service.database.connect());
  const withoutContact = scopes.filter((scope) => scope !== 'customers:contact');
  masked = (await service.makeKey(withoutContact)).key;
  // Words are drawn once the service listens.
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  await vi.waitUntil(async () => (await suggest('shmidt')).length > 0, until);
});
afterAll(() => service[Symbol.asyncDispose]());

async function suggest(search: string, key = service.key): Promise<WireSuggestions['data']> {
  const url = `/v3/customers/suggestions?search=${encodeURIComponent(search)}`;
  const response = await service.get(url, { authorization: `Bearer ${key}` });
  expect(response.statusCode, response.body).toBe(200);
  return response.json<WireSuggestions>().data;
}

test('suggests words of names and companies, the best one first, with the exact number of matches', async () => {
  expect(await suggest('shmidt')).toEqual([
    { search: 'schmidt', total: 12 },
    { search: 'schmitt', total: 7 },
  ]);
  expect(await suggest('windmuhel')).toEqual([{ search: 'windmühle', total: 7 }]);
  expect(await suggest("o'brian")).toEqual([{ search: 'obrien', total: 6 }]);
});

test('counts are those of the moment, not of the draw', async () => {
  const added = person('Anna Schmidt');
  await service.database.insert([added]);
  expect((await suggest('shmidt'))[0]).toEqual({ search: 'schmidt', total: 13 });
  await service.database.query('delete from customers where uuid = $1', [added.uuid]);
  expect((await suggest('shmidt'))[0]).toEqual({ search: 'schmidt', total: 12 });
});

test('of several words, replaces those that do not occur, and suggests nothing without a match', async () => {
  expect(await suggest('anna shmidt')).toEqual([{ search: 'anna schmidt', total: 12 }]);
  expect(await suggest('bo shmidt')).toEqual([{ search: 'bo schmitt', total: 7 }]);
  expect(await suggest('cleo shmidt')).toEqual([]);
});

test('a search with at most five matches has suggestions with more, one with six has none', async () => {
  // A wrong record has the misspelling of the caller.
  const wrong = times(6, () => person('Anna Shmidt'));
  const shmidt = [
    { search: 'schmidt', total: 12 },
    { search: 'schmitt', total: 7 },
  ];
  for (const [at, one] of wrong.entries()) {
    await service.database.insert([one]);
    expect(await suggest('shmidt'), `${at + 1} matches`).toEqual(at < 5 ? shmidt : []);
    expect(await suggest('shmidt', masked)).toEqual(at < 5 ? shmidt : []);
    if (at === 0) {
      expect(await suggest('anna shmidt')).toEqual([{ search: 'anna schmidt', total: 12 }]);
    }
  }
  await service.database.query("delete from customers where full_name = 'Anna Shmidt'");
  expect(await suggest('fivefold'), 'five themselves').toEqual([]);
});

test('suggests nothing for a search with many matches, a blank one, an identifier, or gibberish', async () => {
  for (const search of ['schmid', '', '  ', randomUUID(), 'qqqqqqq', '0170 1234567']) {
    expect(await suggest(search)).toEqual([]);
  }
});

test('never suggests a word that fewer than five customers share', async () => {
  expect(await suggest('rarenmae')).toEqual([]);
  expect(await suggest('douvled')).toEqual([]);
  expect(await suggest('fivefoldd')).toEqual([{ search: 'fivefold', total: 5 }]);
});

test('nor one that so few share since the words were drawn', async () => {
  const { database } = service;
  const one = `full_name ~* 'fivefold' and uuid = (select uuid from customers where full_name ~* 'fivefold' limit 1)`;
  const [changed] = await database.query<{ uuid: string }>(
    `update customers set full_name = replace(full_name, 'Fivefold', 'Other') where ${one} returning uuid`,
  );
  expect(await suggest('fivefoldd')).toEqual([]);
  await database.query(
    `update customers set full_name = replace(full_name, 'Other', 'Fivefold') where uuid = $1`,
    [changed!.uuid],
  );
  expect(await suggest('fivefoldd')).toEqual([{ search: 'fivefold', total: 5 }]);
});

test('words of e-mail addresses are not suggested, to nobody', async () => {
  expect(await suggest('mailwort')).toEqual([]);
  expect(await suggest('mailwort', masked)).toEqual([]);
});

test('a masked caller gets the same words, counted by what it may see', async () => {
  expect((await suggest('shmidt', masked))[0]).toEqual({ search: 'schmidt', total: 12 });
  // Matches an address only, which a masked caller cannot find: its words are replaced.
  expect(await suggest('mailword')).toEqual([]);
  expect(await suggest('mailword shmidt', masked)).toEqual([]);
});

test('needs the scopes of a search', async () => {
  for (const missing of ['customers:list', 'customers:search'] as const) {
    const { key } = await service.makeKey(scopes.filter((scope) => scope !== missing));
    const response = await service.get('/v3/customers/suggestions?search=shmidt', {
      authorization: `Bearer ${key}`,
    });
    expect(response.statusCode).toBe(403);
    expect(response.headers['www-authenticate']).toContain(missing);
  }
});

test('takes no other parameters, and no other method', async () => {
  const response = await service.get('/v3/customers/suggestions?search=shmidt&page=2');
  expect(response.json()).toMatchObject({ code: 'unknown-parameter' });
  const post = await service.app.inject({ method: 'POST', url: '/v3/customers/suggestions' });
  expect(post.statusCode).toBe(405);
});

test('after an erasure the words are drawn again, without whoever was erased', async () => {
  await using served = serveList(service.database.url);
  const signal = new AbortController().signal;
  const suggestions = new Suggestions(served.database.upkeep, { settleMs: 0, lookMs: 10 });
  const suggestHere = (search: string) =>
    suggestions.suggest(search, {
      count: (text) => served.list.count(text, signal),
      countKnown: (text) => served.list.countKnown(text, signal),
    });
  await suggestions.draw(signal);
  expect(await suggestHere('fivefoldd')).toEqual([{ search: 'fivefold', total: 5 }]);

  await eraseFivefold();
  suggestions.forget();
  expect(await suggestHere('shmidt')).toEqual([]);
  const stop = new AbortController();
  const upkeep = suggestions.upkeep(stop.signal);
  await vi.waitFor(async () => expect(await suggestHere('shmidt')).not.toEqual([]), until);
  expect(await suggestHere('fivefoldd')).toEqual([]);
  stop.abort();
  await upkeep;
});

test('words that are drawn while somebody is erased are not used', async () => {
  await using served = serveList(service.database.url);
  const suggestions = new Suggestions(served.database.upkeep);
  const drawn = suggestions.draw(new AbortController().signal).catch(() => undefined);
  suggestions.forget();
  await drawn;
  expect(suggestions.words).toBe(0);
});

test('an instance drops its words when it notices an erasure', async () => {
  await eraseFivefold();
  await vi.waitFor(async () => expect(await suggest('shmidt')).toEqual([]), until);
});

async function eraseFivefold(): Promise<void> {
  await service.database.query(
    `select clientele.erase_customer(c.uuid)
     from (select uuid from customers where full_name = 'Eve Fivefold' limit 1) as c`,
  );
}
