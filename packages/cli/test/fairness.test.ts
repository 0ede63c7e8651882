/** One key's load does not make another key's requests fail (docs/decisions/overload.md). */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@clientele/sandbox/testing';
import { customers } from './setup/customers.ts';
import { makeKey, startService, type Service } from './setup/executable.ts';
import { heldSearch, holdSearches, type Hold } from './setup/held-search.ts';
import { httpGet, failures, tally, type HttpResponse } from './setup/load.ts';

let database: TestDatabase;
let service: Service;
let hold: Hold;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.insert(customers);
  hold = await holdSearches(database);
  service = await startService({ DATABASE_URL: database.url });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** Keeps `count` searches in flight, all different and none of which ends by itself. */
function keepInFlight(count: number, key: string) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: count });
  const stopping = new AbortController();
  const responses: HttpResponse[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      responses.push(await httpGet(service.url + heldSearch(next++), key, agent));
      await sleep(20);
    }
  };
  const running = Promise.all(Array.from({ length: count }, client));
  return {
    responses,
    async stop() {
      stopping.abort();
      await running;
      agent.destroy();
    },
  };
}

test('64 searches in flight with one key: no lookup, list or search of another key is refused', async () => {
  const [greedy, other] = [await makeKey(database.url), await makeKey(database.url)];
  const searches = keepInFlight(64, greedy);
  await hold.running(2);
  await vi.waitFor(() => expect(searches.responses.length).toBeGreaterThan(64), 300_000);

  const got: HttpResponse[] = [];
  for (let i = 0; i < 100; i += 1) {
    const paths = [`/v3/customers/${customers[i % customers.length]!.uuid}`, '/v3/customers'];
    // A commit, so that no page is cached.
    await database.query('select pg_current_xact_id()');
    if (i % 10 === 0) paths.push(`/v3/customers?search=customer${i}`);
    for (const path of paths) got.push(await httpGet(service.url + path, other));
  }
  await hold.running(2);
  await searches.stop();
  expect(failures(got)).toEqual({});
  const refused = tally(searches.responses);
  expect(refused['429 rate-limited'], JSON.stringify(refused)).toBeGreaterThan(64);
});
