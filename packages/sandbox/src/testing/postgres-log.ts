/** The entries of PostgreSQL's log for one database. */
import { readFile } from 'node:fs/promises';
import { inject } from 'vitest';

/** False if the tests run on the cluster of DATABASE_URL, whose log cannot be read. */
export const hasPostgresLog = inject('postgresLog') !== '';

export interface LogEntry {
  application: string;
  /** Starts with the severity. May span several lines. */
  text: string;
}

export async function readPostgresLog(database: string): Promise<LogEntry[]> {
  const log = await readFile(inject('postgresLog'), 'utf8');
  const entries = log.split(/^(?=\d{4}-\d\d-\d\d [^\n]+? \[\d+\] )/m);
  return entries.flatMap((entry) => {
    // The log_line_prefix of postgres.ts: time [pid] database (application)
    const [, name, application, text] = / \[\d+\] (\S*) \((.*?)\) (.*)/s.exec(entry) ?? [];
    return name === database ? [{ application: application!, text: text! }] : [];
  });
}

/** The distinct statements that the service sent. */
export function statementsOfService(entries: LogEntry[]): Set<string> {
  const found = new Set<string>();
  for (const { application, text } of entries) {
    if (!application.startsWith('clientele ')) continue;
    const statement = /^LOG: +duration: .*? ms +(?:statement|execute [^:]*): (.*)$/s.exec(
      text,
    )?.[1];
    if (statement !== undefined) found.add(statement.trim());
  }
  return found;
}
