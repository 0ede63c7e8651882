/** Room for connections, and on the disk. */
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { connectionsNeeded } from '../db/database.ts';
import {
  bytes,
  isHiddenClient,
  mustFix,
  ok,
  row,
  unknown,
  warning,
  type Check,
  type Finding,
} from './finding.ts';

const raiseLimit =
  "Raise max_connections or the database's connection limit, or lower CLIENTELE_CONNECTIONS.";

export const connections: Check = {
  name: 'connections',
  async look({ client, connections: each }) {
    const { most, others, masked } = await row<{ most: number; others: number; masked: boolean }>(
      client,
      `with other as (
         select a.datname from pg_stat_activity as a
         where (a.backend_type = 'client backend' or ${isHiddenClient}) and a.pid <> pg_backend_pid()
           and a.application_name not like 'clientele%'
       ), limits (most, others) as (
         select current_setting('max_connections')::int
             - current_setting('superuser_reserved_connections')::int
             - coalesce(current_setting('reserved_connections', true), '0')::int,
           (select count(*)::int from other)
         union all
         select d.datconnlimit, (select count(*)::int from other where other.datname = d.datname)
         from pg_database as d where d.datname = current_database() and d.datconnlimit <> -1
       )
       select l.most, l.others, to_regclass('public.customers_name_search') is not null as masked
       from limits as l order by l.most - l.others limit 1`,
    );
    const needed = connectionsNeeded(each, masked);
    const room = `${most} connections allowed, ${others} used by other clients, ${needed} needed for each instance of serve`;
    const instances = Math.floor((most - others) / needed);
    if (most < needed) {
      return [mustFix(`${room}: not enough for one instance.`, raiseLimit)];
    }
    if (instances < 2) {
      return [
        warning(
          `${room}: not enough for two instances, so instances cannot be replaced one by one.`,
          raiseLimit,
        ),
      ];
    }
    return [ok(`${room}: enough for ${instances} instances.`)];
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
    const size = `The database uses ${bytes(whole)}`;
    const space = folder === null ? undefined : await freeSpace(folder, started);
    if (!space) {
      return [
        unknown(
          `${size}; the free disk space cannot be read from this machine.`,
          'Run on the database machine: df -h',
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

/** Undefined unless PostgreSQL runs on this machine: its start time must match postmaster.pid. */
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
  const state = `${size}; ${bytes(free)} of ${bytes(total)} disk space is free`;
  const remedy = 'Enlarge the disk, or move other files off it.';
  if (free < 0.05 * total)
    return mustFix(`${state}: when the disk is full, every write fails.`, remedy);
  if (free < largest) {
    return warning(`${state}: not enough to rebuild customers and its indexes.`, remedy);
  }
  if (free < 0.15 * total) return warning(`${state}.`, remedy);
  return ok(`${state}.`);
}
