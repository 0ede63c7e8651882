/** The queries on sessions. */
import type { Database } from '../db/database.ts';

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
  await signOuts.query({ name: 'end-session', text: 'select clientele.end_session($1)' }, [id]);
}
