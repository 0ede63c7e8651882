import { timeouts, type Timeouts } from '@clientele/directory';

/**
 * Time limits for reaching the database on a machine that runs tests, and may stall for seconds. Those of the product
 * are meant for a healthy server.
 */
export const patient: Timeouts = {
  ...timeouts,
  slot: 3_000,
  connect: 15_000,
  lookup: 15_000,
  list: 20_000,
  handler: 60_000,
};
