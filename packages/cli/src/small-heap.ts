import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage early instead of growing the heap, so that memory does not depend on the size of
 * the file. Records are short-lived, so this does not slow down imports and exports.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
}
