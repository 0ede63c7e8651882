/** `contract-check.ts` as production builds have it: nothing to load, nothing to run. */
import type { WireCustomerDetail, WireCustomerList } from './wire.ts';

export function checkCustomerList(_body: unknown): asserts _body is WireCustomerList {}
export function checkCustomerDetail(_body: unknown): asserts _body is WireCustomerDetail {}
