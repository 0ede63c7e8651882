/** A PostgreSQL for the tests of a project, with a migrated template database for each test file. */
import type { TestProject } from 'vitest/node';
import { migrate, readMigrations } from '@clientele/directory';
import { databaseUrl, withClient } from '../connection.ts';
import { preferPostgres } from '../private-postgres/find-postgres.ts';
import { startPrivatePostgres } from '../private-postgres/private-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The cluster's URL, with a superuser's credentials. */
    postgresUrl: string;
    /** The cluster's log file. Empty if the cluster is the one of DATABASE_URL. */
    postgresLog: string;
    template: string;
    /** The requested version. Tests that do not depend on it can run on one version only. */
    major: 15 | 18;
  }
}

/** Uses the cluster of DATABASE_URL if it is set, else starts one of the requested version. */
export async function providePostgres(project: TestProject, major: 15 | 18) {
  const given = process.env['DATABASE_URL'];
  const cluster = given ? undefined : await startCluster(major);
  const url = given ?? cluster!.url;
  const template = `clientele_template_${process.pid}_${major}`;
  await withClient(url, (client) =>
    client.query(`create database ${template} template template0 encoding 'UTF8' locale 'C.UTF-8'`),
  );
  await withClient(databaseUrl(url, template), async (client) =>
    migrate(client, await readMigrations()),
  );

  project.provide('postgresUrl', url);
  project.provide('postgresLog', cluster?.logFile ?? '');
  project.provide('template', template);
  project.provide('major', major);
  return async () => {
    if (cluster) await cluster.stop();
    else await withClient(url, (client) => client.query(`drop database ${template} with (force)`));
  };
}

async function startCluster(major: number) {
  const postgres = await preferPostgres(major);
  if (postgres.major !== major) {
    if (process.env['CI']) throw new Error(`CI needs PostgreSQL ${major}, which is not installed`);
    process.stderr.write(
      `PostgreSQL ${major} is not installed; testing on ${postgres.major} instead\n`,
    );
  }
  return startPrivatePostgres({
    postgres,
    // Every statement is logged, so that tests can check the log for data that must not be in it.
    settings: {
      log_min_duration_statement: 0,
      log_line_prefix: '%m [%p] %d (%a) ',
      max_connections: 300,
      max_prepared_transactions: 20,
    },
  });
}
