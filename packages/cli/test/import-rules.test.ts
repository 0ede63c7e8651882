/** `clientele import`: what a record changes, which record wins, and `--replace`. */
import { createLoginRole, customerId as id } from '@clientele/sandbox/testing';
import { describe, expect, test } from 'vitest';
import { csv, head, row, setUpImports } from './setup/imports.ts';

const { counts, database, names, run, save } = setUpImports();

test('fields without a column stay unchanged, and empty cells clear the field', async () => {
  await counts(csv(`${head},phone_number,total_orders`, row(1, 'A', '030 5550100', '7')));
  expect(await counts(csv(head, row(1, 'B')))).toMatchObject({ updated: 1 });
  expect(await database().query('select phone_number, total_orders from customers')).toEqual([
    { phone_number: '030 5550100', total_orders: '7' },
  ]);
  expect(await counts(csv(`${head},phone_number`, row(1, 'B', '')))).toMatchObject({ updated: 1 });
  expect(await database().query('select phone_number, total_orders from customers')).toEqual([
    { phone_number: null, total_orders: '7' },
  ]);
});

describe('which record wins', () => {
  const versioned = `${head},updated_at`;

  test('importing the same file again changes nothing', async () => {
    const content = csv(versioned, row(1, 'A', '2026-01-01'), row(2, 'B', ''), row(2, 'B2', ''));
    expect(await counts(content)).toMatchObject({ read: 3, inserted: 2, superseded: 1 });
    const [before] = await database().query(
      'select array_agg(xmin::text order by uuid) as x from customers',
    );
    expect(await counts(content)).toMatchObject({ read: 3, inserted: 0, updated: 0, unchanged: 2 });
    expect(
      await database().query('select array_agg(xmin::text order by uuid) as x from customers'),
    ).toEqual([before]);
  });

  test('an older record never overwrites a newer one, by updated_at or --as-of', async () => {
    await counts(csv(versioned, row(1, 'A3', '2026-03-01')));
    expect(await counts(csv(versioned, row(1, 'A2', '2026-02-01')))).toMatchObject({
      superseded: 1,
    });
    expect(await counts(csv(head, row(1, 'A2')), '--as-of', '2026-02-01')).toMatchObject({
      superseded: 1,
    });
    expect(await counts(csv(head, row(1, 'unknown')))).toMatchObject({ superseded: 1 });
    expect(await names()).toEqual({ 1: 'A3' });
    expect(await counts(csv(head, row(1, 'A4')), '--as-of', '2026-04-01')).toMatchObject({
      updated: 1,
    });
    expect(await counts(csv(head, row(1, 'now')), '--as-of', 'now')).toMatchObject({ updated: 1 });
  });

  test('an unchanged but newer record protects against records dated in between', async () => {
    await counts(csv(versioned, row(1, 'A', '2026-01-01')));
    expect(await counts(csv(versioned, row(1, 'A', '2026-03-01')))).toMatchObject({ unchanged: 1 });
    expect(await counts(csv(versioned, row(1, 'B', '2026-02-01')))).toMatchObject({
      superseded: 1,
    });
    expect(await names()).toEqual({ 1: 'A' });
  });

  test('an erased customer is never imported again', async () => {
    const content = csv(head, row(1, 'A'), row(2, 'B'));
    await counts(content);
    await using writer = await createLoginRole(database(), 'in role clientele_writer');
    await database().query(
      `set role ${writer.name}; select clientele.erase_customer('${id(1)}'); reset role`,
    );
    expect(await counts(content)).toMatchObject({ unchanged: 1, suppressed: 1 });
    expect(await counts(content, '--as-of', 'now')).toMatchObject({ unchanged: 1, suppressed: 1 });
    expect(await counts(content, '--replace', '--yes')).toMatchObject({
      suppressed: 1,
      unchanged: 1,
    });
    expect(await names()).toEqual({ 2: 'B' });
  });
});

describe('--replace', () => {
  test('removes customers that are not in the file, after confirmation', async () => {
    await counts(csv(head, row(1, 'A'), row(2, 'B'), row(3, 'C')));
    const content = csv(head, row(2, 'B'), row(3, 'C2'), row(4, 'D'), row(4, 'D2'));
    const asked = await run(await save('some.csv', content), '--replace');
    expect(asked).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/replace 3 customers; 1 of .*--yes/s),
    });
    expect(Object.keys(await names())).toEqual(['1', '2', '3']);
    expect(await counts(content, '--replace', '--yes')).toMatchObject({
      read: 4,
      inserted: 1,
      updated: 1,
      unchanged: 1,
      superseded: 1,
      removed: 1,
    });
    expect(await names()).toEqual({ 2: 'B', 3: 'C2', 4: 'D2' });
  });

  test('changes nothing if a record is rejected or the file has no records', async () => {
    await counts(csv(head, row(1, 'A')));
    const bad = await save('bad.csv', csv(head, row(1, ''), row(2, 'B')));
    expect(await run(bad, '--replace', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nothing was changed'),
    });
    const none = await save('none.csv', csv(head));
    expect(await run(none, '--replace', '--yes')).toMatchObject({ code: 1 });
    expect(await names()).toEqual({ 1: 'A' });
    expect(await run(bad, '--replace', '--yes', '--despite-rejects')).toMatchObject({ code: 3 });
    expect(await names()).toEqual({ 2: 'B' });
  });

  test('keeps customers that are newer than the file', async () => {
    await counts(csv(`${head},updated_at`, row(1, 'A', '2026-03-01'), row(2, 'B', '2026-01-01')));
    await counts(csv(head, row(3, 'C')), '--replace', '--yes', '--as-of', '2026-02-01');
    expect(await names()).toEqual({ 1: 'A', 3: 'C' });
  });
});
