/** Replaces `contract-check.ts` in production builds, where bodies are not checked. */
import type { WireCustomerDetail, WireCustomerList, WireTimeline } from './wire.ts';

export function checkCustomerList(_body: unknown): asserts _body is WireCustomerList {}
export function checkCustomerDetail(_body: unknown): asserts _body is WireCustomerDetail {}
export function checkTimeline(_body: unknown): asserts _body is WireTimeline {}
