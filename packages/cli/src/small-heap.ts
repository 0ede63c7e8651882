import { setFlagsFromString } from 'node:v8';

/**
 * Has garbage collected early instead of letting the heap grow. Records live for a moment, so this costs
 * no time here, and a file of any size is read in the same memory.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
}
