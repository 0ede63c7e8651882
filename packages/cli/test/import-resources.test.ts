/** PostgreSQL without space or memory is not a lost connection: an import says so, and does not try again. */
import { beforeEach, expect, test } from 'vitest';
import { explain } from '../src/explain.ts';
import { csv, head, row, setUpImports } from './setup/imports.ts';

const { database, run, save } = setUpImports();
beforeEach(() =>
  database().query('create sequence if not exists attempts; alter sequence attempts restart'),
);

const attempts = () => database().query(`select nextval('attempts')::int as next`);

test('a full disk ends the import at the first attempt', async () => {
  await database().query(
    `create function fill_disk() returns trigger language plpgsql security definer as $$
     begin perform nextval('public.attempts'); raise exception 'no space' using errcode = '53100'; end $$;
     create trigger fill_disk before insert on customers for each statement execute function fill_disk()`,
  );
  try {
    const { code, stderr } = await run(await save('some.csv', csv(head, row(1, 'Ada'))));
    expect(code).toBe(1);
    expect(stderr).toContain('The disk of the PostgreSQL server is full.');
    expect(stderr).not.toContain('Lost the connection');
    expect(await attempts()).toEqual([{ next: 2 }]);
  } finally {
    await database().query('drop trigger fill_disk on customers; drop function fill_disk');
  }
});

test.each([
  ['a full disk', '53100', /The disk of the PostgreSQL server is full/, 2],
  ['an error of its storage', '58030', /does not respond/, 22],
])('%s while the index is built ends the import', async (_, errcode, message, next) => {
  const name = 'clientele.finish_first_import()';
  const [was] = await database().query<{ source: string }>(
    `select pg_get_functiondef('${name}'::regprocedure) as source`,
  );
  await database().query(
    `create or replace function ${name} returns void language plpgsql security definer as $$
     begin perform nextval('public.attempts'); raise exception 'no space' using errcode = '${errcode}'; end $$`,
  );
  try {
    const { code, stderr } = await run(await save('some.csv', csv(head, row(1, 'Ada'))));
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).toContain('The search index is not built yet');
    expect(await attempts()).toEqual([{ next }]);
  } finally {
    await database().query(was!.source);
  }
});

test.each([
  ['53200', /out of memory/],
  ['53400', /limit.*temp_file_limit/],
])('%s is named', (code, message) => {
  const error = Object.assign(new Error('temporary file size exceeds "temp_file_limit" (1kB)'), {
    code,
  });
  expect(explain(error)).toMatch(message);
});
