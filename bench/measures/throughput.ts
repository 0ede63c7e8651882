import { startBareFastify } from '../bare-fastify.ts';
import type { CustomersDatabase } from '../customers-database.ts';
import { findLoad } from '../http-load.ts';
import { list } from '../list-requests.ts';
import type { Service } from '../service.ts';
import { median } from '../statistics.ts';
import { row, rounds, type Bench, type Row } from './measure.ts';

/** g: requests per second, compared with Fastify serving the same body from memory. */
export async function throughput({ database }: Bench, service: Service): Promise<Row[]> {
  const { name: generator, load } = await findLoad();
  const [someone] = await database.query<{ uuid: string }>('select uuid from customers limit 1');
  const raw: Record<string, { ours: number[]; bare: number[] }> = {};
  const subjects = { 'page 1': list, lookup: `${list}/${someone!.uuid}` };
  for (const [name, path] of Object.entries(subjects)) {
    const { body } = await service.getWithRetries(path);
    const fastify = await startBareFastify(body);
    const { ours, bare } = (raw[name] = { ours: [] as number[], bare: [] as number[] });
    try {
      const options = { paths: [path], connections: 32, seconds: 4, headers: service.headers };
      await load({ ...options, origin: service.origin, seconds: 2 });
      for (let i = 0; i < rounds; i += 1) {
        bare.push((await load({ ...options, origin: fastify.origin })).perSecond);
        ours.push((await load({ ...options, origin: service.origin })).perSecond);
      }
    } finally {
      await fastify.stop();
    }
  }
  const ratios = Object.values(raw).map(({ ours, bare }) =>
    median(ours.map((rate, i) => rate / bare[i]!)),
  );
  const least = Math.min(...ratios);
  const whileCommitting = await duringCommits(database, () =>
    load({
      paths: [list],
      connections: 32,
      seconds: 4,
      headers: service.headers,
      origin: service.origin,
    }),
  );
  return [
    {
      ...row(
        'g',
        `requests/s of page 1 and of a lookup ÷ Fastify from memory (${generator})`,
        least,
        0.5,
        { ...raw, 'page 1 during 100 commits per second': whileCommitting.perSecond },
      ),
      bar: '≥ 0.5',
      holds: least >= 0.5,
    },
  ];
}

async function duringCommits<T>(database: CustomersDatabase, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void database.commit(), 10);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
