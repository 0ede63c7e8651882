import type { limits as contractLimits } from './wire.ts';

/**
 * The limits of request parameters, as enforced by the service. Types keep them equal to the
 * contract's.
 *
 * @example
 * <input type="search" maxLength={limits.search.maxCodePoints} />
 */
export const limits = {
  page: { min: 1, max: 1_000_000_000, default: 1 },
  perPage: { min: 1, max: 100, default: 25 },
  /** A longer search is refused with `search-too-long`. */
  search: { maxCodePoints: 256, maxTerms: 8 },
  /** The periods of a timeline. */
  buckets: { min: 1, max: 500, default: 120 },
} as const satisfies Pick<typeof contractLimits, 'page' | 'perPage' | 'search' | 'buckets'>;
