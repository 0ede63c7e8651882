/** One driver behind HTTP, in a process of its own: the server's reads and nothing around them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WireCustomer } from '@clientele/contract';
import Fastify from 'fastify';
import { parseListQuery } from '../packages/server/src/customers/list-query.ts';
import { wireColumns } from '../packages/server/src/customers/to-wire.ts';
import { openLanes, type Variant } from './driver-lanes.ts';
import { listPlainly, lookupPlainly, toWire } from './plain-list.ts';

/** Of this process, since it was asked last. */
export interface Usage {
  /** Processor time, in microseconds. */
  cpu: number;
  answered: number;
  /** Milliseconds from the first request to the last answer. */
  elapsed: number;
}

const database = openLanes(process.argv[2] as Variant, process.env['DATABASE_URL']!);
const app = Fastify();
let cpu = process.cpuUsage();
const seen = { asked: 0, answered: 0, first: 0, last: 0 };
app.addHook('onRequest', async () => {
  if (seen.asked++ === 0) seen.first = performance.now();
});
// Runs also when the client has hung up meanwhile, as a load generator does in the end.
app.addHook('onSend', async () => {
  seen.answered += 1;
  seen.last = performance.now();
});
app.get('/v3/customers', (request) =>
  listPlainly(database, parseListQuery(request.raw.url!).query),
);
app.get<{ Params: { id: string } }>('/v3/customers/:id', ({ params }) =>
  lookupPlainly(database, params.id).then((data) => ({ data })),
);
// At a million rows the list's exact count outweighs everything; here is the driver's own share.
app.get('/page-only', async () => {
  const rows = await database.lists.query<WireCustomer>(pageOnly, [25, 0]);
  return { data: rows.map(toWire) };
});

const pageOnly = {
  name: 'page-only',
  text: `
    select ${wireColumns}
    from (
      select m.* from public.customers as m
      order by m.place desc, m.created_at desc, m.uuid desc
      limit $1 offset $2
    ) as c
    order by c.created_at desc, c.uuid desc`,
};

/** Waits until nothing is under way, so that one driver's leftovers never load the next one's turn. */
async function report(): Promise<void> {
  while (seen.answered < seen.asked) await sleep(10);
  const { user, system } = process.cpuUsage(cpu);
  const { answered, first, last } = seen;
  process.send!({ cpu: user + system, answered, elapsed: last - first } satisfies Usage);
  cpu = process.cpuUsage();
  seen.asked = seen.answered = 0;
}

process.on('message', () => void report());
process.on('disconnect', () => process.exit());
process.send!(await app.listen({ host: '127.0.0.1', port: 0 }));
