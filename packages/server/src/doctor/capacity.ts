/** Whether there is room: for connections and on the disk. */
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { bytes, mend, ok, row, unknown, warning, type Check, type Finding } from './finding.ts';

export const connections: Check = {
  name: 'connections',
  async look({ client, connections: each }) {
    const { most, others } = await row<{ most: number; others: number }>(
      client,
      `select least(
           current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true), '0')::int,
           nullif(d.datconnlimit, -1)
         ) as most,
         (select count(*)::int from pg_stat_activity as a
          where a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
            and a.application_name not like 'clientele%') as others
       from pg_database as d where d.datname = current_database()`,
    );
    // One more, for sign-outs.
    const needed = each + 1;
    const room = `${most} connections, ${others} taken by others, ${needed} for each instance of serve`;
    const instances = Math.floor((most - others) / needed);
    if (most < needed) {
      return [
        mend(`${room}: not one fits.`, 'Raise max_connections, or lower CLIENTELE_CONNECTIONS.'),
      ];
    }
    if (instances < 2) {
      return [
        warning(
          `${room}: not two fit, so they cannot be replaced one by one.`,
          'Raise max_connections, or lower CLIENTELE_CONNECTIONS.',
        ),
      ];
    }
    return [ok(`${room}: room for ${instances}.`)];
  },
};

export const disk: Check = {
  name: 'disk',
  async look({ client }) {
    const { whole, largest, folder, started } = await row<{
      whole: number;
      largest: number;
      folder: string | null;
      started: number;
    }>(
      client,
      `select pg_database_size(current_database())::float8 as whole,
         coalesce(pg_total_relation_size(to_regclass('public.customers')), 0)::float8 as largest,
         (select setting from pg_settings where name = 'data_directory') as folder,
         floor(extract(epoch from pg_postmaster_start_time()))::float8 as started`,
    );
    const size = `The database takes ${bytes(whole)}`;
    const space = folder === null ? undefined : await freeSpace(folder, started);
    if (!space) {
      return [
        unknown(
          `${size}; the free space of its disk cannot be seen from here.`,
          'Look on the database machine: df',
        ),
      ];
    }
    return [judge(size, largest, space)];
  },
};

interface Space {
  free: number;
  total: number;
}

/** Undefined unless the server runs on this machine, which the time it was started at proves. */
async function freeSpace(folder: string, started: number): Promise<Space | undefined> {
  try {
    const [, , startedHere] = (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n');
    if (Math.abs(Number(startedHere) - started) > 1) return undefined;
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return undefined;
  }
}

function judge(size: string, largest: number, { free, total }: Space): Finding {
  const state = `${size}, ${bytes(free)} of ${bytes(total)} are free`;
  const remedy = 'Make the disk larger, or move what is not the database.';
  if (free < 0.05 * total) return mend(`${state}: a full disk stops every write.`, remedy);
  if (free < largest) {
    return warning(`${state}: not enough to rebuild customers and its indexes.`, remedy);
  }
  if (free < 0.15 * total) return warning(`${state}.`, remedy);
  return ok(`${state}.`);
}
