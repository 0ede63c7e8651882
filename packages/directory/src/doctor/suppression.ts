/** Whether erased people are kept out also when customers are written by SQL. */
import { mustFix, ok, row, unknown, warning, type Check, type Finding } from './finding.ts';

/** With the sessions that each fires in, as in `schema.ts`. */
const expected = { check_inserts: 'O', check_replicated_inserts: 'R', check_updates: 'A' };
const enabling: Record<string, string> = { O: 'enable', R: 'enable replica', A: 'enable always' };
/** A server looks at the queue several times a minute. */
const lateMinutes = 5;

export const suppression: Check = {
  name: 'suppression',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { there } = await row<{ there: boolean }>(
      client,
      `select to_regclass('clientele.unchecked_customers') is not null as there`,
    );
    if (!there) return [unknown('The database lacks a migration for it.', 'clientele migrate')];
    const { rows } = await client.query<{ name: string; enabled: string }>(
      `select t.tgname as name, t.tgenabled as enabled from pg_trigger as t
       where t.tgrelid = 'public.customers'::regclass`,
    );
    const found = Object.entries(expected).flatMap(([name, fires]): Finding[] => {
      const trigger = rows.find((each) => each.name === name);
      if (trigger?.enabled === fires) return [];
      return [
        mustFix(
          `The trigger ${name} ${trigger ? 'does not fire when it has to' : 'is missing'}: SQL can bring erased people back.`,
          trigger
            ? `alter table public.customers ${enabling[fires]} trigger ${name}`
            : 'Create it as in packages/directory/migrations/000010_erasure.sql',
        ),
      ];
    });
    const { late } = await row<{ late: number }>(
      client,
      `select count(*)::int as late from clientele.unchecked_customers as q
       where q.queued_at < now() - interval '${lateMinutes} minutes'`,
    );
    if (late > 0) {
      found.push(
        warning(
          `Customers that were written by SQL are not compared with erased people: ${late}.`,
          'Run serve with CLIENTELE_SECRET_FILE: the secret that people are erased with.',
        ),
      );
    }
    return found.length > 0 ? found : [ok('Nobody who was erased can come back unnoticed.')];
  },
};
