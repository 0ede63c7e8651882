/** Whether lists can be sorted by all that was switched on. */
import { listOrders } from '../db/orders.ts';
import { ok, warning, type Check } from './finding.ts';

export const orders: Check = {
  name: 'orders',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const all = await listOrders(client);
    const unfinished = all.filter(({ state }) => state === 'building');
    if (unfinished.length > 0) {
      return unfinished.map(({ name }) =>
        warning(
          `Lists cannot be sorted by ${name}: preparing it was interrupted, or a trigger of the change log was changed since.`,
          `clientele orders add ${name}`,
        ),
      );
    }
    const on = all.filter(({ state }) => state === 'on').map(({ name }) => name);
    return [ok(`Lists can be sorted by ${[...on, 'created_at'].join(', ')}.`)];
  },
};
