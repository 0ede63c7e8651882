import { customerAt } from '../../src/generator/customer.ts';

/** The first `count` customers of a seed. */
export const customers = (count: number, seed = 1) =>
  Array.from({ length: count }, (_, index) => customerAt(seed, index));
