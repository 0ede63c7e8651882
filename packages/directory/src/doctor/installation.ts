/** The PostgreSQL installation, and how the database was created. */
import { encodingFault, localeFault } from '../db/fitness.ts';
import { mustFix, ok, row, unknown, warning, type Check, type Finding } from './finding.ts';

export const version: Check = {
  name: 'version',
  async look({ client }) {
    const { number, words } = await row<{ number: number; words: string }>(
      client,
      `select current_setting('server_version_num')::int as number,
         current_setting('server_version') as words`,
    );
    const major = Math.floor(number / 10_000);
    if (major < 15) {
      return [
        mustFix(`PostgreSQL ${words} is too old.`, 'Upgrade to PostgreSQL 15, 16, 17 or 18.'),
      ];
    }
    if (major > 18) {
      return [
        warning(
          `PostgreSQL ${words} is newer than the tested versions.`,
          'Use PostgreSQL 15, 16, 17 or 18.',
        ),
      ];
    }
    return [ok(`PostgreSQL ${words}.`)];
  },
};

export const encoding: Check = {
  name: 'encoding and locale',
  async look({ client }) {
    const { encoding, locale, icu, stale } = await row<{
      encoding: string;
      locale: string;
      icu: boolean;
      stale: boolean;
    }>(
      client,
      `select pg_encoding_to_char(d.encoding) as encoding, d.datctype as locale,
         exists (select from pg_collation as c where c.collname = 'und-x-icu') as icu,
         coalesce(d.datcollversion <> pg_database_collation_actual_version(d.oid), false)
           or exists (
             select from pg_collation as c
             where c.collname = 'und-x-icu'
               and c.collversion <> pg_collation_actual_version(c.oid)
           ) as stale
       from pg_database as d
       where d.datname = current_database()`,
    );
    const fault = (await encodingFault(client)) ?? (await localeFault(client));
    const found: Finding[] = fault ? [mustFix(fault.found, fault.remedy)] : [];
    if (!icu) {
      found.push(mustFix('PostgreSQL was built without ICU.', 'Install a build with ICU support.'));
    }
    if (stale) {
      found.push(
        warning(
          'The version of ICU or the C library has changed since the database was created.',
          'Run clientele prepare search-text and rebuild its index (docs/how-to/upgrade.md), then: ' +
            'alter database … refresh collation version; alter collation "und-x-icu" refresh version',
        ),
      );
    }
    return found.length > 0 ? found : [ok(`${encoding}, ${locale}.`)];
  },
};

export const extensions: Check = {
  name: 'extensions',
  async look({ client }) {
    const { rows } = await client.query<{ installed: string | null; newest: string }>(
      `select e.installed_version as installed, e.default_version as newest
       from pg_available_extensions as e
       where e.name = 'pg_trgm'`,
    );
    const [trgm] = rows;
    if (!trgm) {
      return [
        mustFix(
          'pg_trgm is not available on the database machine.',
          "Install PostgreSQL's contrib package there.",
        ),
      ];
    }
    if (trgm.installed === null) {
      return [mustFix('pg_trgm is not installed in this database.', 'clientele migrate')];
    }
    if (trgm.installed !== trgm.newest) {
      return [
        warning(
          `pg_trgm ${trgm.installed} is installed; ${trgm.newest} is available.`,
          'alter extension pg_trgm update',
        ),
      ];
    }
    return [ok(`pg_trgm ${trgm.installed}.`)];
  },
};

/** In seconds. Sessions and keys carry timestamps, and people compare the logs of both machines. */
const clockTolerance = 2;

export const clock: Check = {
  name: 'clock',
  async look({ client, now }) {
    const before = now();
    const { theirs } = await row<{ theirs: Date }>(client, 'select clock_timestamp() as theirs');
    const after = now();
    if (after - before > 1_000 * clockTolerance) {
      return [unknown('The query took too long to compare the clocks.', 'Run doctor again.')];
    }
    const seconds = (theirs.getTime() - (before + after) / 2) / 1_000;
    if (Math.abs(seconds) <= clockTolerance) return [ok('The clocks agree.')];
    const direction = seconds > 0 ? 'ahead of' : 'behind';
    return [
      warning(
        `The database's clock is ${Math.abs(seconds).toFixed(1)} s ${direction} this machine's.`,
        'Synchronise both machines with NTP.',
      ),
    ];
  },
};
