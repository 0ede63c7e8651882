/** Replaces `contract-check.ts` in production builds, where bodies are not checked. */
import type {
  WireCustomerDetail,
  WireCustomerList,
  WireSuggestions,
  WireTimeline,
} from './wire.ts';

export function checkCustomerList(_body: unknown): asserts _body is WireCustomerList {}
export function checkCustomerDetail(_body: unknown): asserts _body is WireCustomerDetail {}
export function checkSuggestions(_body: unknown): asserts _body is WireSuggestions {}
export function checkTimeline(_body: unknown): asserts _body is WireTimeline {}
