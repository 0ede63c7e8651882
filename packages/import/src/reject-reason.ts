import { foldName } from './column-names.ts';

/** The column or key with the reason why a record was rejected. Imports ignore it. */
export const reasonName = 'clientele_reject';

export const isReason = (name: string): boolean => foldName(name) === foldName(reasonName);
