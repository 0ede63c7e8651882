/** Whether what has to be forgotten is: pending erasures, and old text in the change log. */
import { ok, row, warning, type Check } from './finding.ts';

/** A server completes erasures within seconds, unless a transaction is in the way. */
const pendingMinutes = 10;

export const erasures: Check = {
  name: 'erasures',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { pending, minutes } = await row<{ pending: number; minutes: number | null }>(
      client,
      `select count(*)::int as pending,
         (extract(epoch from now() - min(e.erased_at)) / 60)::float8 as minutes
       from clientele.erasures as e where e.cleared_at is null`,
    );
    if (minutes === null) return [ok('No erasure is pending.')];
    const many = `${pending} ${pending === 1 ? 'erasure is' : 'erasures are'} pending`;
    if (minutes < pendingMinutes) return [ok(`${many}, for less than ${pendingMinutes} minutes.`)];
    return [
      warning(
        `${many}, the oldest for ${Math.round(minutes)} minutes: text of these people is left in the database.`,
        'End long transactions, then run: clientele erase --pending',
      ),
    ];
  },
};

export const oldText: Check = {
  name: 'old text',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const { found } = await row<{ found: boolean }>(
      client,
      `select exists (
         select from clientele.changes as c
         where (c.old_place is not null or c.new_place is not null)
           -- Without a mark of the last day, nobody knows how old an entry is.
           and c.xid < coalesce((
             select min(m.xid) from clientele.change_marks as m where m.at > now() - interval '24 hours'
           ), '18446744073709551615')
       ) as found`,
    );
    if (!found) return [ok('The change log has no text that is older than 24 hours.')];
    return [
      warning(
        'The change log may have text that is older than 24 hours: no server has cleared it.',
        'Start a server (clientele serve), or run until it returns false: select clientele.clear_old_text()',
      ),
    ];
  },
};
