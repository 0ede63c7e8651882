/** Whether lists can be sorted by all that was switched on, and are sorted right. */
import { listOrders } from '../db/orders.ts';
import { countSomeDifferences } from '../db/sorted-places.ts';
import { mustFix, ok, warning, type Check } from './finding.ts';

export const orders: Check = {
  name: 'sorting',
  needsTables: true,
  primaryOnly: true,
  async look({ client }) {
    const all = await listOrders(client);
    const unfinished = all.filter(({ state }) => state === 'unfinished');
    if (unfinished.length > 0) {
      return unfinished.map(({ name }) =>
        warning(
          `Lists cannot be sorted by ${name}: preparing it was interrupted, or a trigger of the change log was changed since.`,
          `clientele prepare sort ${name}`,
        ),
      );
    }
    const on = all.filter(({ state }) => state === 'on').map(({ name }) => name);
    const differing = on.length > 0 ? await countSomeDifferences(client) : 0;
    if (differing > 0) {
      return [
        mustFix(
          `Sorted lists lack customers, or show them at a wrong place (at least ${differing}).`,
          `clientele prepare sort ${on[0]}`,
        ),
      ];
    }
    return [ok(`Lists can be sorted by ${[...on, 'created_at'].join(', ')}.`)];
  },
};
