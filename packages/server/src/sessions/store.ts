/** Session queries. */
import { codeOf, DatabaseUnavailableError } from '../db/errors.ts';
import type { Authority } from '../db/nodes.ts';

/** SQLSTATE of a write on a standby. */
const readOnly = '25006';

/** The secret shared by all sessions, and whether this one was signed out. Runs once per request. */
export async function findSession(
  { lookups }: Authority,
  id: string,
): Promise<{ secret: Buffer; ended: boolean } | undefined> {
  const rows = await lookups.query<{ secret: Buffer; ended: boolean }>(
    {
      name: 'find-session',
      text: `select s.secret,
               exists (select from clientele.ended_sessions as e where e.id = $1) as ended
             from clientele.session_secret as s`,
    },
    [id],
  );
  return rows[0];
}

/** Once this resolves, no instance accepts the session any more. */
export async function endSession({ writes }: Authority, id: string): Promise<void> {
  const statement = { name: 'end-session', text: 'select clientele.end_session($1)' };
  await writes.query(statement, [id]).catch((error: unknown) => {
    if (codeOf(error) !== readOnly) throw error;
    throw new DatabaseUnavailableError(undefined, { cause: error });
  });
}
