/** A user's own file: `clientele demo FILE`, and the round trip of `export` and `import`. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireCustomer } from '@clientele/contract';
import { expect, test } from 'vitest';
import { createTestDatabase, customerId } from '@clientele/sandbox/testing';
import { copyCustomers } from '@clientele/sandbox/generator';
import { awkward } from './setup/awkward-customers.ts';
import { clientele, startClientele } from './setup/executable.ts';
import { httpGet } from './setup/load.ts';

const own = `id;Name;E-Mail;Telefon
00000000-0000-4000-8000-000000000001;Zoë Beispiel;zoe@mail.example;+49 170 0000001
00000000-0000-4000-8000-000000000002;Anna Example;anna@mail.example;
`;

test('clientele demo FILE imports the file and answers a search', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-own-file-'));
  await chmod(folder, 0o1777);
  const file = join(folder, 'customers.csv');
  await writeFile(file, own);
  await using demo = startClientele(['demo', file, '--json', '--port', '0'], { TMPDIR: folder });
  const [line] = await demo.said(/^\{.*"url".*\}$/m);
  const { url, key, customers } = JSON.parse(line) as Record<'url' | 'key', string> & {
    customers: number;
  };
  expect(customers).toBe(2);
  const { body } = await httpGet(`${url}/v3/customers?search=zoe`, key);
  expect((body.data as WireCustomer[]).map(({ full_name }) => full_name)).toEqual(['Zoë Beispiel']);
  demo.kill('SIGINT');
  expect((await demo.exited).code).toBe(0);
  await rm(folder, { recursive: true });
});

test('a demo with a missing file fails with exit code 1', async () => {
  const { code, stdout, stderr } = await clientele(['demo', '/nowhere/customers.csv']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('The file /nowhere/customers.csv does not exist.');
});

test('export --raw, import --raw and export again give identical files', async () => {
  await using first = await createTestDatabase();
  await first.insert(awkward);
  await copyCustomers(await first.connect(), 7, 2_000);
  await using second = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'clientele-round-'));
  for (const format of ['csv', 'ndjson']) {
    await second.query('truncate customers');
    const [one, two] = [join(folder, `one.${format}`), join(folder, `two.${format}`)];
    const to = (file: string) => ['export', '--raw', '--format', format, '--output', file];
    expect((await clientele(to(one), { DATABASE_URL: first.url })).code).toBe(0);
    const imported = ['import', one, '--raw'];
    const { code, stderr } = await clientele(imported, { DATABASE_URL: second.url });
    expect(code, stderr).toBe(0);
    expect((await clientele(to(two), { DATABASE_URL: second.url })).code).toBe(0);
    const [before, after] = await Promise.all([readFile(one), readFile(two)]);
    expect(before.length).toBeGreaterThan(100_000);
    expect(after.equals(before), `${format} differs`).toBe(true);
  }
  await rm(folder, { recursive: true });
});

test('what export guards against spreadsheets is imported without the guard', async () => {
  await using first = await createTestDatabase();
  const texts = ['+49 151 0', '=1+1', '-1', '@home', '|x', "'+1", "'t Hooft", "''=x"];
  await first.insert(
    texts.map((text, i) => ({
      ...awkward[3],
      uuid: customerId(i),
      full_name: text,
      company_name: text,
    })),
  );
  await using second = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'clientele-guard-'));
  const file = join(folder, 'customers.csv');
  await clientele(['export', '--output', file], { DATABASE_URL: first.url });
  expect(await readFile(file, 'utf8')).toContain("'+49 151 0");
  expect((await clientele(['import', file], { DATABASE_URL: second.url })).code).toBe(0);
  const rows = await second.query<{ text: string }>(
    'select full_name as text from customers where full_name = company_name',
  );
  expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(texts));
  await rm(folder, { recursive: true });
});
