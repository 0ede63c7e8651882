/** DDL of the operator that nobody can serve from: docs/decisions/operators-settings.md. */
import type { WireCustomerList } from '@clientele/contract';
import { patient, startTestService } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { checkDatabase, DatabaseUnfitError, readMigrations } from '@clientele/directory';

interface Unfit {
  ddl: string;
  remedy: string;
  /** What a server does that was started before. */
  running: 'refuses' | 'answers';
}

const unfit: Record<string, Unfit> = {
  'row-level security': {
    ddl: `alter table customers enable row level security;
      create policy few on customers for select using (total_orders > 3)`,
    remedy: 'alter table public.customers disable row level security',
    running: 'refuses',
  },
  'unlogged customers': {
    ddl: 'alter table customers set unlogged',
    remedy: 'alter table public.customers set logged',
    running: 'refuses',
  },
  'an unlogged log': {
    ddl: 'alter table clientele.changes set unlogged',
    remedy: 'alter table clientele.changes set logged',
    running: 'answers',
  },
  'a rule that keeps customers': {
    ddl: 'create rule "Keep" as on delete to customers do instead nothing',
    remedy: 'drop rule "Keep" on public.customers',
    running: 'answers',
  },
  'a rule that writes a second time': {
    ddl: `create rule twice as on insert to customers do also
      update customers set full_name = 'Jürgen der Zweite' where uuid = new.uuid`,
    remedy: 'drop rule twice on public.customers',
    running: 'answers',
  },
};

const insert = (from: number, to: number) => `
  insert into customers (uuid, full_name, email_address)
  select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid, 'Jürgen ' || i, i || '@example.com'
  from generate_series(${from}, ${to}) as i`;

test.each(Object.entries(unfit))(
  '%s: the server does not start, and one that runs answers nothing wrong',
  async (_, { ddl, remedy, running }) => {
    await using service = await startTestService();
    const { database } = service;
    const expectTotals = async () => {
      const [row] = await database.query<{ n: number }>('select count(*)::int as n from customers');
      for (const query of ['', 'search=jurgen']) {
        const response = await service.get(`/v3/customers?${query}`);
        expect(response.statusCode, response.body).toBe(200);
        expect(response.json<WireCustomerList>().pagination.total).toBe(row!.n);
      }
    };
    await database.query(insert(1, 20));
    await expectTotals();
    await database.query(ddl);
    const migrations = await readMigrations();
    const refusal = await checkDatabase(database.url, migrations, patient).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(DatabaseUnfitError);
    expect((refusal as Error).message).toContain(`Run: ${remedy}`);
    await database.query(insert(21, 22));
    if (running === 'answers') await expectTotals();
    else {
      for (const query of ['', 'search=jurgen']) {
        const response = await service.get(`/v3/customers?${query}`);
        expect(response.statusCode, response.body).toBeGreaterThanOrEqual(500);
      }
    }
    await database.query(remedy);
    await checkDatabase(database.url, migrations, patient);
    await expectTotals();
  },
);

test('PostgreSQL refuses to attach customers to a partitioned table, where inserts are not logged', async () => {
  await using service = await startTestService();
  const { database } = service;
  await database.query(insert(1, 20));
  await database.query(
    `create table everyone (like customers including defaults including generated including constraints)
     partition by range (created_at)`,
  );
  const attach = `alter table everyone attach partition customers for values from ('0001-01-01') to ('2030-01-01')`;
  await expect(database.query(attach)).rejects.toThrow('trigger "no_parent" prevents');
  // Without it nobody would know, so nothing is answered.
  await database.query('drop trigger no_parent on customers');
  await database.query(attach);
  for (const query of ['', 'search=jurgen']) {
    const response = await service.get(`/v3/customers?${query}`);
    expect(response.statusCode, response.body).toBeGreaterThanOrEqual(500);
  }
});
