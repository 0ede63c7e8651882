/** The queries on sessions. */
import type { Database } from '../db/database.ts';
import { codeOf, DatabaseUnavailableError } from '../db/errors.ts';

/** PostgreSQL's answer to a write on a standby. */
const readOnly = '25006';

/** The secret of all sessions, and whether this one was signed out: asked for each request. */
export async function findSession(
  { lookups }: Database,
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

/** When this resolves, no instance takes the session any more. */
export async function endSession({ signOuts }: Database, id: string): Promise<void> {
  const statement = { name: 'end-session', text: 'select clientele.end_session($1)' };
  await signOuts.query(statement, [id]).catch((error: unknown) => {
    if (codeOf(error) !== readOnly) throw error;
    throw new DatabaseUnavailableError(undefined, { cause: error });
  });
}
