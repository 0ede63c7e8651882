/**
 * What a masked caller receives does not depend on hidden values, and never reaches or comes from another view.
 * The full run: `MASKING_PAIRS=1000 MASKING_REQUESTS=10000 MASKING_TIMINGS=2000 pnpm vitest run masking-leaks`.
 */
import { scopes, type WireCustomer } from '@clientele/contract';
import { prepareMasking } from '@clientele/directory';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertStatement, Random, randomCustomer } from '@clientele/sandbox/testing';
import { welch } from './setup/welch.ts';

const pairs = Number(process.env['MASKING_PAIRS'] ?? 6);
const requests = Number(process.env['MASKING_REQUESTS'] ?? 600);
const timings = Number(process.env['MASKING_TIMINGS'] ?? 0);
const seed = Number(process.env['MASKING_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const withoutContact = scopes.filter((scope) => scope !== 'customers:contact');

const unknownId = '00000000-0000-4000-8000-000000000000';

interface MaskedService {
  service: TestService;
  masked: (url: string) => Promise<{ status: number; body: string }>;
}

let services: [MaskedService, MaskedService];
beforeAll(async () => {
  services = [await startMasked(), await startMasked()];
});
afterAll(() => Promise.all(services.map(({ service }) => service[Symbol.asyncDispose]())));

async function startMasked(): Promise<MaskedService> {
  const service = await startTestService();
  await prepareMasking(await service.database.connect());
  const { key } = await service.makeKey(withoutContact);
  const masked = async (url: string) => {
    const { statusCode, body } = await service.get(url, { authorization: `Bearer ${key}` });
    // Every error has its own identifier.
    return { status: statusCode, body: body.replace(/"request_id":"[^"]*"/, '') };
  };
  return { service, masked };
}

/** A reserved number. */
const randomPhone = (random: Random): string =>
  `+1 (${200 + random.below(800)}) 555-01${10 + random.below(90)}`;

function otherContact(customer: Partial<WireCustomer>, random: Random): Partial<WireCustomer> {
  return {
    ...customer,
    email_address: `${random.pick(['anna', 'smith', 'lee', 'x'])}.${random.below(1_000)}@other.example`,
    phone_number: random.chance(0.5) ? randomPhone(random) : null,
  };
}

test(
  `${pairs} pairs of directories that differ only in contact details give equal bytes (seed ${seed})`,
  { timeout: 300_000 + 1_000 * pairs },
  async () => {
    const random = new Random(seed);
    let compared = 0;
    for (let pair = 0; pair < pairs; pair += 1) {
      const one = Array.from({ length: 1 + random.below(12) }, () => randomCustomer(random));
      const other = one.map((customer) => otherContact(customer, random));
      for (const [i, customers] of [one, other].entries()) {
        const client = await services[i]!.service.database.connect();
        await client.query('truncate customers');
        await client.query(insertStatement, [JSON.stringify(customers)]);
        await client.end();
      }
      const urls = urlsFor([...one, ...other], random);
      const compare = async (): Promise<void> => {
        for (let url = urls.pop(); url !== undefined; url = urls.pop()) {
          const [a, b] = await Promise.all(services.map(({ masked }) => masked(url)));
          expect(b, url).toEqual(a);
          expect(a!.status, a!.body).toBe(url.endsWith(unknownId) ? 404 : 200);
          compared += 1;
        }
      };
      await Promise.all([compare(), compare(), compare()]);
    }
    process.stdout.write(`${JSON.stringify({ seed, pairs, compared })}\n`);
  },
);

/** The list, what is found by names, and what only hidden values would find. */
function urlsFor(customers: Partial<WireCustomer>[], random: Random): string[] {
  const { email_address: email, phone_number: phone, uuid } = random.pick(customers);
  const digits = (phone ?? '+1 (415) 555-0100').replaceAll(/\D/g, '');
  const searches = [
    ...['', 'a', 'smith', 'lee sons', 'anna gmail', 'other', '0132', '555 01'],
    ...[
      email!,
      email!.split('@')[0]!,
      '@other.example',
      digits,
      digits.split('').join(' '),
      digits.slice(-4),
      phone ?? '',
      uuid!,
    ],
  ];
  const lists = searches.flatMap((search) =>
    [1, 2].map(
      (page) =>
        `/v3/customers?${new URLSearchParams({ search, perPage: '5', page: String(page) })}`,
    ),
  );
  return [...lists, `/v3/customers/${uuid}`, `/v3/customers/${unknownId}`];
}

test(
  `${requests} interleaved masked and full requests for the same pages never cross (seed ${seed})`,
  { timeout: 300_000 + 20 * requests },
  async () => {
    const random = new Random(seed);
    const [{ service, masked }] = services;
    const writer = await service.database.connect();
    await writer.query('truncate customers');
    const customers = Array.from({ length: 200 }, () => ({
      ...randomCustomer(random),
      phone_number: randomPhone(random),
    }));
    await writer.query(insertStatement, [JSON.stringify(customers)]);
    const searches = ['', 'anna', 'smith', 'lee', 'sons', 'bo', customers[0]!.uuid];
    const counts = { masked: 0, full: 0, crossings: 0 };
    let left = requests;
    const over = new AbortController();
    const full = async (url: string) => {
      const { statusCode: status, body } = await service.get(url);
      return { status, body };
    };
    const ask = async (): Promise<void> => {
      while ((left -= 1) >= 0) {
        const search = new URLSearchParams({
          search: random.pick(searches),
          page: String(1 + random.below(3)),
        });
        const url = random.chance(0.2)
          ? `/v3/customers/${random.pick(customers.slice(0, 5)).uuid}`
          : `/v3/customers?${search}`;
        const who = random.chance(0.5) ? 'masked' : 'full';
        const { status, body } = await (who === 'masked' ? masked(url) : full(url));
        // A busy instance refuses some.
        if (status !== 200) left += 1;
        else if (isOf(who, body)) counts[who] += 1;
        else counts.crossings += 1;
      }
    };
    const write = async (): Promise<void> => {
      while (!over.signal.aborted) {
        await writer.query(
          `update customers set phone_number = '+1 (415) 555-01' || (10 + random() * 89)::int,
             full_name = full_name where uuid = $1`,
          [random.pick(customers).uuid],
        );
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const writing = write();
    await Promise.all(Array.from({ length: 8 }, ask)).finally(() => over.abort());
    await writing;
    process.stdout.write(`${JSON.stringify({ seed, ...counts })}\n`);
    expect(counts.crossings).toBe(0);
    expect(Math.min(counts.masked, counts.full)).toBeGreaterThan(requests / 4);
  },
);

/** Every customer here has an e-mail address and a phone number. */
function isOf(who: 'masked' | 'full', body: string): boolean {
  const { data, hidden } = JSON.parse(body) as {
    data: WireCustomer | WireCustomer[];
    hidden?: string[];
  };
  const rows = [data].flat();
  return who === 'masked'
    ? hidden?.length === 2 &&
        rows.every((row) => row.email_address === '' && row.phone_number === null)
    : hidden === undefined &&
        rows.every((row) => row.email_address !== '' && row.phone_number !== null);
}

test.runIf(timings > 0)(
  `${timings} searches for phone numbers take as long whether somebody has the number or not`,
  { timeout: 300_000 + 100 * timings },
  async () => {
    const random = new Random(seed);
    const [{ service, masked }] = services;
    const writer = await service.database.connect();
    await writer.query('truncate customers');
    const phones = [...new Set(Array.from({ length: 3 * timings }, () => randomPhone(random)))];
    const taken = phones.slice(0, timings / 2);
    const free = phones.slice(timings / 2, timings);
    const people = taken.map((phone_number) => ({ ...randomCustomer(random), phone_number }));
    await writer.query(insertStatement, [JSON.stringify(people)]);
    await writer.query('vacuum analyze customers');
    const time = async (phone: string): Promise<number> => {
      const url = `/v3/customers?${new URLSearchParams({ search: phone })}`;
      const started = performance.now();
      const { status } = await masked(url);
      const ms = performance.now() - started;
      expect(status).toBe(200);
      return ms;
    };
    for (const phone of phones.slice(timings, timings + 100)) await time(phone);
    const times = { taken: [] as number[], free: [] as number[] };
    const order = [
      ...taken.map((phone) => ({ phone, into: times.taken })),
      ...free.map((phone) => ({ phone, into: times.free })),
    ];
    for (let i = order.length - 1; i > 0; i -= 1) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    for (const { phone, into } of order) into.push(await time(phone));
    const t = welch(times.taken, times.free);
    process.stdout.write(`${JSON.stringify({ seed, timings, t: Number(t.toFixed(2)) })}\n`);
    expect(Math.abs(t)).toBeLessThan(4.5);
  },
);
