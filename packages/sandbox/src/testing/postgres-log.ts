/** What PostgreSQL wrote into its log about one database. */
import { readFile } from 'node:fs/promises';
import { inject } from 'vitest';

/** Whether the cluster is ours, and hence its log. */
export const hasPostgresLog = inject('postgresLog') !== '';

export interface LogEntry {
  application: string;
  /** From the severity on, over as many lines as it takes. */
  text: string;
}

export async function readPostgresLog(database: string): Promise<LogEntry[]> {
  const log = await readFile(inject('postgresLog'), 'utf8');
  const entries = log.split(/^(?=\d{4}-\d\d-\d\d [^\n]+? \[\d+\] )/m);
  return entries.flatMap((entry) => {
    // As log_line_prefix in postgres.ts: time [pid] database (application)
    const [, name, application, text] = / \[\d+\] (\S*) \((.*?)\) (.*)/s.exec(entry) ?? [];
    return name === database ? [{ application: application!, text: text! }] : [];
  });
}

/** The statements that the service sent, each once. */
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
