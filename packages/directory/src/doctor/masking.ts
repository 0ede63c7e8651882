/** Whether callers who may not see contact details can be served, where there are any. */
import type pg from 'pg';
import { nameText } from '../db/customer-columns.ts';
import { mustFix, ok, row, warning, type Check, type Finding } from './finding.ts';

export const masking: Check = {
  name: 'masking',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { ready, used, keys } = await row<{ ready: boolean; used: boolean; keys: number }>(
      client,
      `select clientele.is_masking_ready() as ready, exists (select from clientele.masking) as used,
         (select count(*)::int from clientele.access_keys as k
          where k.revoked_at is null and not 'customers:contact' = any (k.scopes)) as keys`,
    );
    if (used) {
      const problems = await staleNames(client);
      if (problems.length > 0) return problems;
    }
    if (ready) return [ok('Callers who may not see contact details can be served.')];
    if (!used && keys === 0) return [ok('No key hides contact details.')];
    return [
      mustFix(
        used
          ? 'A trigger or index of masking is missing, or was disabled for a while: masked callers are refused.'
          : `The directory is not prepared for keys without customers:contact (${keys}): they are refused.`,
        'clientele prepare masking',
      ),
    ];
  },
};

/** Whether masked callers search the names that customers have. A trigger that fires after ours can change them. */
async function staleNames(client: pg.ClientBase): Promise<Finding[]> {
  const { late, stale } = await row<{ late: string[]; stale: number }>(
    client,
    `select array(
         select quote_ident(t.tgname) from pg_trigger as t
         where t.tgrelid = 'public.customers'::regclass and not t.tgisinternal and t.tgenabled <> 'D'
           and t.tgname not in ('zz_new_name_text', 'zz_name_text')
           -- For each row, before it is inserted or updated.
           and t.tgtype & 3 = 3
           and (t.tgtype & 4 > 0 and t.tgname > 'zz_new_name_text'
             or t.tgtype & 16 > 0 and t.tgname > 'zz_name_text')
         order by t.tgname
       ) as late,
       (select count(*)::int from (
          select c.name_text, ${nameText} as right_text
          from only public.customers as c
          order by c.place desc, c.created_at desc, c.uuid desc
          limit 1000
        ) as c where c.name_text <> c.right_text) as stale`,
  );
  return [
    ...late.map((name) =>
      warning(
        `The trigger ${name} fires after those of masking: masked callers do not find names that it changes.`,
        `alter trigger ${name} on public.customers rename to a_${name.replaceAll('"', '')}`,
      ),
    ),
    ...(stale > 0
      ? [
          mustFix(
            `Masked callers search outdated names: those of ${stale} of the newest 1,000 customers.`,
            'clientele prepare masking',
          ),
        ]
      : []),
  ];
}
