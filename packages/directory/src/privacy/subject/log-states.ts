/** Finds a person in the change log, whose entries have no identifier. */
import type pg from 'pg';

/** Where the person was in the list, and the text that searches found them by. */
export interface LogState {
  place: number;
  text: string;
}

/** The fields alone, without the space that `clientele.mark` has put after every sign. */
const withoutMarks = (sql: string): string =>
  String.raw`regexp_replace(regexp_replace(${sql}, '[\x01\x02].*', '') collate "und-x-icu", '([^[:alnum:] ]) ', '\1', 'g')`;

/**
 * An entry is the person's if its old or its new state is. That starts with the states of the customers, and those that
 * have the address as a word; each entry adds its other side. So earlier texts are found too, and customers who have been
 * deleted, if their address is given.
 */
export async function logStates(
  client: pg.ClientBase,
  { uuids, email }: { uuids: readonly string[]; email: string | null },
): Promise<{ states: LogState[]; changes: Record<string, unknown>[] }> {
  const { rows: states } = await client.query<LogState>(
    `with recursive
     address as (
       select clientele.mark(clientele.fold(btrim($2))) as marked
     ),
     states(place, text) as (
       (select c.place, c.search_text from only public.customers as c where c.uuid = any ($1)
        union
        select side.place, side.text
        from address as a, clientele.changes as e,
          lateral (values (e.old_place, e.old_text), (e.new_place, e.new_text)) as side(place, text)
        where position(a.marked in side.text) > 0
          and position(' ' || ${withoutMarks('a.marked')} || ' ' in ${withoutMarks('side.text')} || ' ') > 0)
       union
       select side.place, side.text
       from states as s
       join clientele.changes as e
         on e.old_place = s.place and e.old_text = s.text or e.new_place = s.place and e.new_text = s.text,
         lateral (values (e.old_place, e.old_text), (e.new_place, e.new_text)) as side(place, text)
       where side.text is not null
     )
     select s.place, s.text from states as s`,
    [uuids, email],
  );
  const { rows } = await client.query<{ row: Record<string, unknown> }>(
    `select to_jsonb(e) as row
     from clientele.changes as e
     where exists (
       select from unnest($1::float8[], $2::text[]) as s(place, text)
       where e.old_place = s.place and e.old_text = s.text or e.new_place = s.place and e.new_text = s.text
     )
     order by e.xid, e.id`,
    [states.map(({ place }) => place), states.map(({ text }) => text)],
  );
  return { states, changes: rows.map(({ row }) => row) };
}
