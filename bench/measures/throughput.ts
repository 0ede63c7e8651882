import { startBareFastify } from '../bare-fastify.ts';
import type { CustomersDatabase } from '../customers-database.ts';
import { findLoad } from '../http-load.ts';
import { list } from '../list-requests.ts';
import type { Service } from '../service.ts';
import { median } from '../statistics.ts';
import { rowAtLeast, rounds, type Bench, type Row } from './measure.ts';

/** Successful requests per second, in each round. */
interface Rates {
  ours: number[];
  bare: number[];
  /** Requests that the service refused because it was overloaded. */
  failed: number;
}

/** g: requests per second for the same page again and again, and for the same customer. */
export async function throughput({ database }: Bench, service: Service): Promise<Row[]> {
  const { name: generator, load } = await findLoad();
  const [someone] = await database.query<{ uuid: string }>('select uuid from customers limit 1');
  const raw: Record<string, Rates> = {};
  const subjects = { 'page 1': list, lookup: `${list}/${someone!.uuid}` };
  for (const [name, path] of Object.entries(subjects)) {
    raw[name] = await compareWithFastify(service, [path]);
  }
  const slowest = Object.values(raw)
    .map(ratios)
    .reduce((a, b) => (median(b) < median(a) ? b : a));
  const whileCommitting = await duringCommits(database, () =>
    load({ ...options(service, [list]), origin: service.origin }),
  );
  return [
    rowAtLeast(
      'g',
      `requests/s of page 1 and of a lookup ÷ Fastify from memory (${generator})`,
      slowest,
      0.5,
      { ...raw, 'page 1 during 100 commits per second': whileCommitting.perSecond },
    ),
  ];
}

/** l: requests per second for many pages in turn. During commits, every page is read from the database. */
export async function distinctPages(bench: Bench, service: Service): Promise<Row[]> {
  const { customers, database, say } = bench;
  const { name: generator, load } = await findLoad();
  const pages = Math.floor(customers / 25);
  const count = Math.min(1_000, pages);
  const paths = Array.from(
    { length: count },
    (_, i) => `${list}?page=${1 + Math.floor((i * pages) / count)}`,
  );
  for (const path of paths) await service.getWithRetries(path);
  const raw = await compareWithFastify(service, paths);
  const whileCommitting = await duringCommits(database, () =>
    load({ ...options(service, paths), origin: service.origin }),
  );
  say(
    `l: ${median(raw.ours).toFixed(0)} requests/s, ${raw.failed} refused; Fastify ${median(raw.bare).toFixed(0)}; ` +
      `${whileCommitting.perSecond.toFixed(0)} during 100 commits per second`,
  );
  return [
    rowAtLeast(
      'l',
      `requests/s of ${count.toLocaleString('en')} distinct pages ÷ Fastify from memory (${generator})`,
      ratios(raw),
      0.3,
      { ...raw, ratios: ratios(raw), 'during 100 commits per second': whileCommitting.perSecond },
    ),
  ];
}

const ratios = ({ ours, bare }: Rates): number[] => ours.map((rate, i) => rate / bare[i]!);

const options = (service: Service, paths: string[]) => ({
  paths,
  connections: 32,
  seconds: 4,
  headers: service.headers,
});

/** The service and Fastify in turn. Fastify serves the body of the first path for every path. */
async function compareWithFastify(service: Service, paths: string[]): Promise<Rates> {
  const { load } = await findLoad();
  const { body } = await service.getWithRetries(paths[0]!);
  const fastify = await startBareFastify(body);
  const ours: number[] = [];
  const bare: number[] = [];
  let failed = 0;
  try {
    const common = options(service, paths);
    await load({ ...common, origin: service.origin, seconds: 2 });
    for (let i = 0; i < rounds; i += 1) {
      bare.push((await load({ ...common, origin: fastify.origin })).perSecond);
      const result = await load({ ...common, origin: service.origin });
      failed += result.failed;
      ours.push(result.perSecond - result.failed / common.seconds);
    }
  } finally {
    await fastify.stop();
  }
  return { ours, bare, failed };
}

async function duringCommits<T>(database: CustomersDatabase, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void database.commit(), 10);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
