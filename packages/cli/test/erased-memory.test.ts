/**
 * What a running server still knows of an erased person, searched in snapshots of its heap. Nobody else completes the
 * erasure: it is left to the server.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { insertKey, makeAccessKey, prepareMasking } from '@clientele/directory';
import { expect, test, vi } from 'vitest';
import { createTestDatabase, temporaryFolder, type TestDatabase } from '@clientele/sandbox/testing';
import { main, makeKey, startNode, type Executable } from './setup/executable.ts';

const name = `q${randomBytes(6).toString('hex')}`;
const digits = `155501${randomInt(10 ** 5, 10 ** 6)}`;
const person = {
  uuid: crypto.randomUUID(),
  full_name: `Zoe ${name}`,
  email_address: `${name}@mail.example`,
  phone_number: `+${digits}`,
  company_name: `${name} & Daughters`,
};

/** Every way to be shown the person, and to name the person in vain. */
const paths = [
  '/v3/customers',
  `/v3/customers/${person.uuid}`,
  ...[person.uuid, name, person.email_address, person.full_name, `+${digits}`].map(
    (search) => `/v3/customers?search=${encodeURIComponent(search)}`,
  ),
  `/v3/customers?search=${name}&page=none`,
  `/v3/${name}`,
];

/** The texts in a snapshot of the server's heap that hold something of the person. */
async function remembered(server: Executable, folder: string, answers: () => Promise<unknown>) {
  server.kill('SIGUSR2');
  const file = await vi.waitFor(async () => {
    const [first] = await readdir(folder);
    expect(first).toBeDefined();
    return `${folder}/${first}`;
  }, 300_000);
  // It answers nothing while it writes the file.
  await answers();
  const { strings } = JSON.parse(await readFile(file, 'utf8')) as { strings: string[] };
  await rm(file);
  return strings.filter((each) => each.includes(name) || each.includes(digits));
}

async function insertPeople(database: TestDatabase): Promise<void> {
  const unknown = { is_verified: false, total_orders: 0, lifetime_value_cents: 0 };
  const created = { created_at: '2026-01-31T09:05:00.000Z' };
  const others = Array.from({ length: 100 }, (_, i) => ({
    uuid: crypto.randomUUID(),
    full_name: `Person ${i}`,
    email_address: `person${i}@mail.example`,
  }));
  await database.insert([person, ...others].map((each) => ({ ...each, ...unknown, ...created })));
}

async function pending(database: TestDatabase): Promise<number> {
  return (await database.query('select from clientele.erasures where cleared_at is null')).length;
}

async function makeMaskedKey(database: TestDatabase): Promise<string> {
  await prepareMasking(await database.connect());
  const made = makeAccessKey();
  const scopes = ['customers:list', 'customers:lookup', 'customers:search'] as const;
  await insertKey(await database.connect(), made, 'masked', scopes);
  return made.key;
}

test(
  'within 90 seconds of an erasure, a running server completes it and has nothing of the person in its heap',
  { timeout: 600_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    await insertPeople(database);
    const keys = [await makeKey(database.url), await makeMaskedKey(database)];
    const snapshots = folder.path('snapshots');
    await mkdir(snapshots);
    const flags = ['--heapsnapshot-signal=SIGUSR2', '--heap-snapshot-string-limit=1000000000'];
    const env = { DATABASE_URL: database.url, PORT: '0', CLIENTELE_AUDIT_SPOOL: 'none' };
    await using server = startNode([...flags, main, 'serve'], env, { cwd: snapshots });
    const [, url] = await server.said(/listening at (http:\/\/127\.0\.0\.1:\d+)/);
    // Connections stay open: nothing of their last requests may be kept with them.
    using agent = keepAliveAgent();
    const ask = (path: string, key = keys[0]!) =>
      new Promise<string>((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}` };
        get(url + path, { agent, headers }, (response) => {
          text(response).then(resolve, reject);
        }).on('error', reject);
      });
    const askAll = async (): Promise<string> => {
      const answers: string[] = [];
      for (const key of keys) for (const path of paths) answers.push(await ask(path, key));
      return answers.join();
    };
    const held = () => remembered(server, snapshots, () => ask('/livez'));

    expect(await askAll()).toContain(person.email_address);
    expect(await held(), 'searches are kept').not.toEqual([]);
    const writer = await database.connect();
    await writer.query('begin');
    await writer.query(
      `insert into customers (full_name, email_address) values ('Ada', 'ada@mail.example')`,
    );
    await database.query('select clientele.erase_customer($1)', [person.uuid]);
    const deadline = performance.now() + 90_000;
    // Whoever erases somebody looks whether it has worked.
    expect(await askAll()).not.toContain(person.email_address);
    expect(await pending(database), 'the writer may have written about the person').toBe(1);
    await writer.query('commit');
    // Seconds later, if no other test of this cluster has a transaction open.
    await vi.waitFor(async () => expect(await pending(database)).toBe(0), 300_000);
    await vi.waitFor(async () => expect(await held()).toEqual([]), {
      timeout: Math.max(1_000, deadline - performance.now()),
      interval: 10_000,
    });
  },
);

const keepAliveAgent = (): Agent & Disposable => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() });
};
