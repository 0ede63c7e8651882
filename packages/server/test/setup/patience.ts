/**
 * Raises the time limits for reaching the database. They are meant for a healthy server, and a machine that
 * runs tests may stall for seconds. config.test.ts checks the limits themselves.
 */
import { timeouts } from '../../src/config.ts';

Object.assign(timeouts, {
  slot: 3_000,
  connect: 15_000,
  lookup: 15_000,
  list: 20_000,
  handler: 60_000,
});
