/** Settings that make PostgreSQL write personal data to its log: docs/operations.md. */
import { loggedValuesFault } from '../db/fitness.ts';
import { mustFix, ok, warning, type Check, type Finding } from './finding.ts';

export const logs: Check = {
  name: 'logs',
  async look({ client }) {
    const { rows } = await client.query<{ name: string; value: string; database: string }>(
      `select s.name, s.setting as value, quote_ident(current_database()) as database
       from pg_settings as s
       where s.name in ('log_statement', 'log_parameter_max_length_on_error', 'log_error_verbosity',
         'auto_explain.log_min_duration')`,
    );
    const values = new Map(rows.map(({ name, value }) => [name, value]));
    const is = (name: string, ...wanted: string[]): boolean =>
      wanted.includes(values.get(name) ?? '');
    const set = (name: string, value: string): string =>
      `alter database ${rows[0]!.database} set ${name} = ${value}`;
    const logged = await loggedValuesFault(client);
    const found: Finding[] = logged ? [mustFix(logged.found, logged.remedy)] : [];
    if (!is('log_parameter_max_length_on_error', '0')) {
      found.push(
        mustFix(
          'Failing statements are logged with their parameter values.',
          set('log_parameter_max_length_on_error', '0'),
        ),
      );
    }
    if (values.has('auto_explain.log_min_duration') && !is('auto_explain.log_min_duration', '-1')) {
      found.push(
        mustFix(
          'auto_explain logs query plans, which contain what people search for.',
          set('auto_explain.log_min_duration', '-1'),
        ),
      );
    }
    if (!is('log_error_verbosity', 'terse')) {
      found.push(
        warning(
          'A row that violates a constraint is logged with its values.',
          set('log_error_verbosity', 'terse'),
        ),
      );
    }
    if (!is('log_statement', 'none', 'ddl')) {
      found.push(
        warning(
          'Statements typed by hand, as in psql, are logged in full, including any names in them.',
          set('log_statement', 'none'),
        ),
      );
    }
    return found.length > 0 ? found : [ok('Parameter values are not logged.')];
  },
};
