/** Every field of a customer, from a file to a response and back. `.ci/nightly recipe` runs it with two more fields. */
import { writeFile } from 'node:fs/promises';
import { scopes, type WireCustomer, type WireCustomerList } from '@clientele/contract';
import {
  blankCustomer,
  contactFields,
  fieldOf,
  searchedFields,
  wireFields,
  type FieldName,
  type Kind,
} from '@clientele/contract/customer-fields';
import { csvHeader, csvLine } from '@clientele/contract/customer-file';
import { prepareMasking } from '@clientele/directory';
import { customerId, startTestService, temporaryFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { clientele } from './setup/executable.ts';

const samples: Record<Kind, (name: FieldName) => string | number | boolean> = {
  uuid: () => customerId(1),
  flag: () => true,
  integer: () => 7,
  instant: () => '2026-01-31T09:05:00.000Z',
  text: (name) =>
    name === 'phone_number' ? '+44 20 7946 0123' : `${name.replaceAll('_', '')}@directory.example`,
};
const customer = Object.fromEntries(
  wireFields.map((name) => [name, samples[fieldOf(name).kind](name)]),
) as unknown as WireCustomer;
const { email_address, phone_number } = blankCustomer;
const masked = { ...customer, email_address, phone_number };

test('is imported by another name, listed, found, hidden where it has to be, and exported', async () => {
  await using service = await startTestService();
  await using folder = await temporaryFolder();
  const env = { DATABASE_URL: service.database.url };

  const header = wireFields.map((name) => fieldOf(name).aliases!.split(' ')[0]);
  await writeFile(folder.path('a.csv'), `${header.join(',')}\n${csvLine(customer)}`);
  const imported = await clientele(['import', folder.path('a.csv')], env);
  expect(imported.code, imported.stderr).toBe(0);

  const list = async (search: string, key: string): Promise<WireCustomer[]> => {
    const url = `/v3/customers?search=${encodeURIComponent(search)}`;
    const response = await service.get(url, { authorization: `Bearer ${key}` });
    return response.json<WireCustomerList>().data;
  };
  await prepareMasking(await service.database.connect());
  const { key } = await service.makeKey(scopes.filter((scope) => scope !== 'customers:contact'));
  expect(await list('', service.key)).toEqual([customer]);
  expect(await list('', key)).toEqual([masked]);
  for (const name of searchedFields) {
    const search = String(customer[name]);
    const isHidden = contactFields.some((hidden) => hidden === name);
    expect(await list(search, service.key), name).toEqual([customer]);
    expect(await list(search, key), name).toEqual(isHidden ? [] : [masked]);
  }

  const csv = await clientele(['export', '--raw'], env);
  expect(csv.stdout).toBe(csvHeader + csvLine(customer));
  const ndjson = await clientele(['export', '--format', 'ndjson'], env);
  expect(JSON.parse(ndjson.stdout)).toEqual(customer);
});
