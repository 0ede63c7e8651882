import { withClient } from '@clientele/sandbox';
import type pg from 'pg';
import { withScratchDatabase } from '../scratch-database.ts';
import { row, type Bench, type Row } from './measure.ts';

const kept = 500_000;
const dead = 500_000;
/** A writer trims about once for so many entries. */
const betweenTrims = 1_000;
const trims = 15;

/**
 * s: trimming the log within a writer's transaction, while a snapshot keeps entries that were deleted
 * earlier from being vacuumed. The entries are written directly: only their number counts here.
 */
export async function trimmingWithSnapshot({ database, say }: Bench): Promise<Row[]> {
  return withScratchDatabase(database.url, async (client, url) => {
    say(`s: writing ${kept + dead} log entries`);
    await writeLog(client, kept, 100);
    const free = await trimTimes(client);
    await writeLog(client, dead, 100);
    await client.query('vacuum (analyze) clientele.changes');
    const { held, last } = await withClient(url, async (reader) => {
      await reader.query('begin isolation level repeatable read');
      await reader.query('select count(*) from clientele.changes');
      const before = await listed(client);
      await client.query('select clientele.trim_changes($1)', [kept]);
      const deleted = before - (await listed(client));
      if (deleted < 0.9 * dead) throw new Error(`only ${deleted} entries were trimmed`);
      const times = await trimTimes(client);
      // A vacuum cannot remove the entries that the snapshot still sees, but must not do harm, either.
      await client.query('vacuum clientele.changes');
      return { held: times, last: await trimTimes(client) };
    });
    const measure = `ms to trim in a writer's transaction, ${dead.toLocaleString('en')} dead entries, snapshot held`;
    const raw = {
      held,
      'held, after a vacuum': last,
      'without dead entries': free,
      listed: await listed(client),
    };
    return [row('s', measure, [...held, ...last], 5, raw)];
  });
}

async function listed(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::int as n from clientele.changes',
  );
  return rows[0]!.n;
}

/** Many small transactions, as in production: trimming never cuts one in two. */
async function writeLog(client: pg.Client, entries: number, perTransaction: number): Promise<void> {
  await client.query(`
    do $$ begin
      for i in 1..${Math.ceil(entries / perTransaction)} loop
        insert into clientele.changes (new_place, new_text)
        select i * 1000.0 + n, format(' anna smith %s anna. smith%s@ gmail. example acme ltd', n, i)
        from generate_series(1, ${perTransaction}) as n;
        commit;
      end loop;
    end $$`);
}

async function trimTimes(client: pg.Client): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < trims; i += 1) {
    await writeLog(client, betweenTrims, 10);
    await client.query('begin');
    await client.query(`insert into customers (full_name, email_address)
      values ('Anna Smith', 'anna.smith@gmail.example')`);
    const started = performance.now();
    // As the triggers call it after one change.
    await client.query('select clientele.trim_changes($1, 2000)', [kept]);
    times.push(performance.now() - started);
    await client.query('commit');
  }
  return times;
}
