/** Changes searchable text at a steady rate until it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export async function writeEverySecond(url: string, changes: number) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ uuid: string }>(
    'select uuid from customers tablesample system (1) limit 5000',
  );
  const writer = { on: true };
  let written = 0;
  const first = Promise.withResolvers<void>();
  const work = (async () => {
    const start = performance.now();
    while (writer.on) {
      // Each change is a separate transaction, like an application's.
      await client.query(
        `update customers set company_name = 'Changed ' || $2::text where uuid = $1`,
        [rows[written % rows.length]!.uuid, written],
      );
      written += 1;
      if (written === 50) first.resolve();
      const ahead = (written / changes) * 1_000 - (performance.now() - start);
      if (ahead > 1) await sleep(ahead);
    }
  })();
  return {
    writing: first.promise,
    async stop() {
      writer.on = false;
      await work;
      await client.end();
      return written;
    },
  };
}
