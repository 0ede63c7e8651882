/** A PostgreSQL for the tests of a project, with a migrated database to clone for each test file. */
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate, readMigrations } from '@clientele/server';
import { findPostgres } from '../private-postgres/find-postgres.ts';
import { startPrivatePostgres } from '../private-postgres/private-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's URL of the cluster. */
    postgresUrl: string;
    /** The cluster's log, where it is ours. */
    postgresLog: string;
    template: string;
    /** The version asked for; what does not depend on it may run on one only. */
    major: 15 | 18;
  }
}

/** Uses DATABASE_URL's cluster when that is set, else one of its own, of the version asked for. */
export async function providePostgres(project: TestProject, major: 15 | 18) {
  const given = process.env['DATABASE_URL'];
  const cluster = given ? undefined : await startCluster(major);
  const url = given ?? cluster!.url;
  const template = `clientele_template_${process.pid}_${major}`;
  await onCluster(url, (client) =>
    client.query(`create database ${template} template template0 encoding 'UTF8' locale 'C.UTF-8'`),
  );
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${template}`;
  await onCluster(templateUrl.href, async (client) => migrate(client, await readMigrations()));

  project.provide('postgresUrl', url);
  project.provide('postgresLog', cluster?.logFile ?? '');
  project.provide('template', template);
  project.provide('major', major);
  return async () => {
    if (cluster) await cluster.stop();
    else await onCluster(url, (client) => client.query(`drop database ${template} with (force)`));
  };
}

async function startCluster(major: number) {
  const found = await findPostgres();
  const wanted = found.find((postgres) => postgres.major === major) ?? found[0];
  if (!wanted) throw new Error('No PostgreSQL on this machine: apt-get install postgresql-15');
  if (wanted.major !== major) {
    if (process.env['CI']) throw new Error(`CI tests on PostgreSQL ${major}, which is not here`);
    process.stderr.write(`PostgreSQL ${major} is not here; testing on ${wanted.major} instead\n`);
  }
  return startPrivatePostgres({
    postgres: wanted,
    // Every statement goes into the log, so that tests can look for what must not be there.
    settings: {
      log_min_duration_statement: 0,
      log_line_prefix: '%m [%p] %d (%a) ',
      max_connections: 300,
      max_prepared_transactions: 20,
    },
  });
}

async function onCluster<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
