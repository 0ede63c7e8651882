/** `clientele audit` and `clientele secret`, and the audit of instances that are killed. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientele, makeKey, startService, type Service } from './setup/executable.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const { database, folder } = setUpDatabaseAndFolder();
let env: Record<string, string>;
let keys: string[];
let service: Service;
let log: string;

async function get(path: string, key = keys[0]!): Promise<string> {
  const response = await fetch(`${service.url}/v3/customers${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status, await response.text()).toBe(200);
  return response.headers.get('x-request-id')!;
}

beforeAll(async () => {
  await database.insert(
    Array.from({ length: 40 }, (_, i) => ({
      uuid: uuid(i),
      full_name: `Sample Person ${i}`,
      email_address: `p${i}@directory.example`,
      is_verified: false,
      total_orders: 0,
      lifetime_value_cents: 0,
      created_at: `2026-01-31T09:05:${String(10 + i)}.000Z`,
    })),
  );
  env = {
    DATABASE_URL: database.url,
    CLIENTELE_SECRET_FILE: folder.path('secret'),
    CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
  };
});

describe('clientele secret', () => {
  test('creates a file that only its owner can read, prints the public key, and never overwrites', async () => {
    const made = await clientele(['secret', 'create'], env);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w+/]{59}=\n$/) });
    expect((await stat(folder.path('secret'))).mode & 0o777).toBe(0o600);
    const secret = await readFile(folder.path('secret'), 'utf8');
    const again = await clientele(['secret', 'create'], env);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('it exists') });
    expect(await readFile(folder.path('secret'), 'utf8')).toBe(secret);
    const shown = await clientele(['secret', 'public-key', folder.path('secret')]);
    expect(shown.stdout).toBe(made.stdout);
  });

  test('replaces the key that signs, and keeps the public keys of earlier ones', async () => {
    const path = folder.path('rotated');
    const { stdout: first } = await clientele(['secret', 'create', path]);
    const { code, stdout } = await clientele(['secret', 'rotate', path]);
    expect([code, stdout.split(',')[1]]).toEqual([0, first]);
    expect((await clientele(['secret', 'public-key', path])).stdout).toBe(stdout);
  });

  test('a file that is no secret stops the server, without being quoted', async () => {
    await writeFile(folder.path('wrong'), '{"search_key":"hunter2"}');
    const wrong = { ...env, CLIENTELE_SECRET_FILE: folder.path('wrong') };
    const { code, stderr } = await clientele(['serve'], wrong);
    expect(code).toBe(1);
    expect(stderr).toContain('is not a secret file');
    expect(stderr).not.toContain('hunter2');
  });
});

describe('clientele audit', () => {
  const lines = async (...args: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await clientele(['audit', ...args], env);
    expect(code, stderr).toBe(0);
    return stdout.split('\n').filter((line) => line !== '');
  };

  beforeAll(async () => {
    keys = [await makeKey(database.url), await makeKey(database.url)];
    service = await startService(env);
    await get('?page=2');
    await get('?search=Sample');
    await get(`/${uuid(7)}`);
    await get(`/${uuid(7)}`, keys[1]);
    service.kill('SIGTERM');
    log = (await service.exited).stdout;
  });

  test('lists answers, newest first, also by caller and by search', async () => {
    const all = await lines('list');
    expect(all).toHaveLength(4);
    expect(all.map((line) => line.split('\t')[4])).toEqual([
      'lookup',
      'lookup',
      'search page 1',
      'list page 2',
    ]);
    const id = /^ck_([0-9a-z]+)_/.exec(keys[1]!)![1]!;
    expect(await lines('list', '--caller', id)).toHaveLength(1);
    expect(await lines('list', '--search', 'SÁMPLE ')).toHaveLength(1);
    expect(await lines('list', '--since', '2020-01-01', '--limit', '2')).toHaveLength(2);
    expect(await lines('list', '--until', '2020-01-01')).toHaveLength(0);
  });

  test('says who saw a customer', async () => {
    expect(await lines('who-saw', uuid(7))).toHaveLength(3);
    const [seen] = await lines('who-saw', uuid(30), '--json');
    expect(JSON.parse(seen!)).toMatchObject({ action: 'search', caller_kind: 'key', shown: 25 });
  });

  test('verifies the entries against the checkpoints of the log, and names a change', async () => {
    await writeFile(folder.path('log'), log);
    const verified = await lines('verify', '--log', folder.path('log'));
    expect(verified.join('\n')).toContain('Nothing was changed, removed or reordered.');
    expect(verified[1]).toBe('2 checkpoints with a right signature, 0 without one.');
    await database.query('update clientele.audit_batches set customers = customers || customers');
    const { code, stdout } = await clientele(['audit', 'verify', '--json'], env);
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as { problems: string[] }).problems[0]).toMatch(
      /batch 1 of .* was changed/,
    );
    await database.query(
      'update clientele.audit_batches set customers = substr(customers, 1, octet_length(customers) / 2)',
    );
  });

  test('clientele export is recorded with every customer that it writes', async () => {
    const { code, stderr } = await clientele(
      [
        'export',
        '--search',
        'Sample',
        '--joined-from',
        '1999-12-31',
        '--sort',
        '-total_orders',
        '--quiet',
      ],
      env,
    );
    expect(code, stderr).toBe(0);
    const [entry] = (await lines('export')).slice(-1);
    expect(JSON.parse(entry!)).toMatchObject({
      action: 'export',
      caller_kind: 'login',
      caller_id: new URL(database.url).username,
      shown: 40,
      search_hash: expect.any(String),
      filters: { joinedFrom: '1999-12-31T00:00:00.000Z' },
      sort: '-total_orders',
    });
    expect(await lines('who-saw', uuid(7))).toHaveLength(4);
    const off = await clientele(['export', '--quiet'], { ...env, CLIENTELE_AUDIT: 'off' });
    expect(off.code).toBe(0);
    expect(await lines('export')).toHaveLength(5);
  });

  test('shows and sets how long entries are kept', async () => {
    expect(await lines('keep')).toEqual(['24']);
    expect(await lines('keep', '6')).toEqual(['6']);
  });
});
