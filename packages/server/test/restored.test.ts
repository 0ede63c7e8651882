import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDatabase, migrate, readMigrations } from '@clientele/directory';
import { patient, startTestService, type TestService } from '@clientele/sandbox/testing';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  // As after restoring a dump: transaction ids of another cluster, ahead of this one's.
  await service.database.query(
    `update clientele.changes_horizon set cluster = 1, xid = '999999999999'`,
  );
});
afterAll(() => service[Symbol.asyncDispose]());

test('a database restored from another cluster is rejected with the command to run', async () => {
  const checked = checkDatabase(service.database.url, await readMigrations(), patient);
  await expect(checked).rejects.toThrow(/restored from another cluster.*clientele migrate/);
});

test('migrate restarts the change log, and the list works', async () => {
  await migrate(await service.database.connect(), await readMigrations());
  await checkDatabase(service.database.url, await readMigrations(), patient);
  await service.database.insert([{ ...someone, full_name: 'Anna Example' }]);
  const response = await service.get('/v3/customers?search=anna');
  expect(response.json()).toMatchObject({ pagination: { total: 1 } });
});

const someone = {
  uuid: '00000000-0000-4000-8000-000000000001',
  email_address: 'anna@acme.example',
  is_verified: true,
  total_orders: 0,
  lifetime_value_cents: 0,
  created_at: '2026-01-01T00:00:00.000Z',
};
