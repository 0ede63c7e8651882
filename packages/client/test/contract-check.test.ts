import { describe, expect, test } from 'vitest';
import { ContractError, createCustomersService } from '@clientele/client';
import { CustomerSchema, PaginationSchema } from '@clientele/contract/schema';
import { customer } from './directory.ts';

/** Vitest resolves the `development` condition, so the contract check is on. */
const serve = (body: unknown) =>
  createCustomersService({
    baseUrl: 'https://customers.example',
    fetch: async () => Response.json(body),
  });
const pagination = { page: 1, per_page: 25, total: 1 };

describe('in development, a body that breaks the contract is a ContractError naming the path', () => {
  test.each([
    [null, 'body: expected object, got null'],
    [[], 'data: expected array, got undefined'],
    [{}, 'data: expected array, got undefined'],
    [{ data: {}, pagination }, 'data: expected array, got object'],
    [{ data: [] }, 'pagination: expected object, got undefined'],
    [
      { data: [], pagination: { ...pagination, total: '1' } },
      'pagination.total: expected integer, got string',
    ],
    [{ data: [null], pagination }, 'data[0]: expected object, got null'],
    [
      { data: [customer(1), { ...customer(2), phone_number: 1 }], pagination },
      'data[1].phone_number: expected string or null, got number',
    ],
    [
      { data: [{ ...customer(1), total_orders: 1.5 }], pagination },
      'data[0].total_orders: expected integer, got number',
    ],
    [
      { data: [{ ...customer(1), is_verified: 'yes' }], pagination },
      'data[0].is_verified: expected boolean, got string',
    ],
  ])('list: %j', async (body, message) => {
    await expect(serve(body).list()).rejects.toThrow(ContractError);
    await expect(serve(body).list()).rejects.toThrow(message);
  });

  test.each([
    [{}, 'data: expected object, got undefined'],
    [{ data: null }, 'data: expected object, got null'],
    [{ data: { ...customer(1), uuid: null } }, 'data.uuid: expected string, got null'],
  ])('one customer: %j', async (body, message) => {
    await expect(serve(body).get('1')).rejects.toThrow(message);
  });

  test.each(Object.keys(CustomerSchema.properties))('a customer without %s', async (field) => {
    const { [field as 'uuid']: _, ...rest } = customer(1);
    await expect(serve({ data: rest }).get('1')).rejects.toThrow(`data.${field}: expected`);
  });

  test.each(Object.keys(PaginationSchema.properties))('pagination without %s', async (field) => {
    const { [field as 'page']: _, ...rest } = pagination;
    await expect(serve({ data: [], pagination: rest }).list()).rejects.toThrow(
      `pagination.${field}: expected integer, got undefined`,
    );
  });

  test('the message does not contain the value, which may be personal data', async () => {
    const body = { data: [{ ...customer(1), total_orders: 'Anna' }], pagination };
    await expect(serve(body).list()).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('Anna') }),
    );
  });
});
