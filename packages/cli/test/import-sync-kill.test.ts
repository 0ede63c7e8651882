/**
 * An import and a feed that run at once, are killed at any moment and lose the table to a truncate end as if
 * nothing had happened, once both have been started again. `IMPORT_KILLS=200` kills them more often.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  createTestDatabase,
  customerId as id,
  temporaryFolder,
  type TestDatabase,
} from '@clientele/sandbox/testing';
import { clientele, startClientele } from './setup/executable.ts';
import { csv, head, row } from './setup/imports.ts';
import { resetDatabase } from './setup/import-runs.ts';

const kills = Number(process.env['IMPORT_KILLS'] ?? 6);
const customers = process.env['IMPORT_KILLS'] ? 20_000 : 6_000;

/** The feed is newer than the file and gives the same fields, so the order of the two does not count. */
function feed(): string {
  const lines: object[] = [];
  const write = (n: number, name: string, day: number): void => {
    const updated_at = `2026-01-0${day}`;
    const more = { full_name: name, email_address: 'x@mail.example', phone_number: '030 5550199' };
    lines.push(
      name === ''
        ? { op: 'delete', uuid: id(n), updated_at }
        : { uuid: id(n), ...more, updated_at },
    );
  };
  for (let n = 0; n < customers; n += 3) {
    write(n, 'First', 1);
    if (n % 2 === 0) write(n, '', 2);
    // At the time of the delete: the later one counts.
    if (n % 4 === 0) write(n, 'Again', 2);
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** All customers and deletions, except when they were written. */
async function directory(database: TestDatabase) {
  const [state] = await database.query<{ customers: number; hash: string; deleted: string }>(`
    select count(*)::int as customers,
      md5(string_agg(concat_ws('|', c.uuid, c.full_name, c.phone_number, c.updated_at), ',' order by c.uuid))
        as hash,
      (select md5(string_agg(concat_ws('|', g.uuid, g.gone_at), ',' order by g.uuid))
       from clientele.gone_customers as g) as deleted
    from public.customers as c`);
  return state!;
}

test(
  `an import and a feed of ${customers} customers, killed ${kills} times, with truncates in between`,
  { timeout: 3_600_000 },
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    // Updating this index takes most of the time and does not affect what is written.
    await database.query('drop index public.customers_search');
    const env = { DATABASE_URL: database.url };
    const rows = Array.from({ length: customers }, (_, n) => row(n, `N${n}`, '030 5550100'));
    await writeFile(folder.path('file.csv'), csv(`${head},phone_number`, ...rows));
    await writeFile(folder.path('feed.ndjson'), feed());
    const commands = {
      import: ['import', folder.path('file.csv'), '--batch', '500', '--quiet'],
      sync: ['sync', folder.path('feed.ndjson'), '--quiet'],
    };
    const started = performance.now();
    expect(await clientele(commands.import, env)).toMatchObject({ code: 0 });
    expect(await clientele(commands.sync, env)).toMatchObject({ code: 0 });
    const whole = performance.now() - started;
    const expected = await directory(database);
    expect(expected.customers).toBe(
      customers - Math.ceil(customers / 6) + Math.ceil(customers / 12),
    );
    await resetDatabase(database);

    const done = { import: false, sync: false };
    let [killed, truncated] = [0, 0];
    while (!done.import || !done.sync) {
      const names = (['import', 'sync'] as const).filter((name) => !done[name]);
      const runs = names.map((name) => startClientele(commands[name], env));
      const ended = Promise.all(runs.map((run) => run.exited));
      // Deliberately not synchronized with the writers: any moment must work.
      if (killed < kills)
        await Promise.race([ended, sleep(Math.random() * whole * 1.2, undefined, { ref: false })]);
      if (killed < kills && Math.random() < 0.15) {
        await database.query('truncate public.customers');
        truncated += 1;
        for (const { code, stderr } of await ended) {
          if (code !== 0) expect(stderr).toContain('was emptied while this file was read');
        }
        Object.assign(done, { import: false, sync: false });
        continue;
      }
      if (killed < kills) for (const run of runs) run.kill('SIGKILL');
      for (const [i, { code, signal, stderr }] of (await ended).entries()) {
        if (signal === 'SIGKILL') {
          killed += 1;
          continue;
        }
        expect(code, stderr).toBe(0);
        done[names[i]!] = true;
      }
      if (done.import && done.sync) {
        expect(await directory(database), `${killed} kills, ${truncated} truncates`).toEqual(
          expected,
        );
        if (killed < kills) {
          await resetDatabase(database);
          Object.assign(done, { import: false, sync: false });
        }
      }
    }
  },
);
