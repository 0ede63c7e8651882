/** What the page maps hold and have done, for the metrics. */

/** What the metrics call the source of an answer. */
export type Source = 'cached_page' | 'warm_map' | 'adopted_map' | 'cold_count' | 'lookup';

/** What is cached, and what may be. */
export interface Held {
  searches: number;
  bytes: number;
  limitBytes: number;
  evictions: number;
}

export interface Count {
  /** Of the places of its matches by the index, or of the matches per block. */
  kind: 'places' | 'scan';
  /**
   * `miss`: the search was not in memory. `outdated`: it was, but the log could not bring it up to date.
   * `moving`: writes outdate every count at once. `ahead`: no request waits for it. `recut`: blocks were uneven.
   */
  cause: 'miss' | 'outdated' | 'moving' | 'ahead' | 'recut';
  seconds: number;
}

export class MapTally {
  readonly answers: Record<Source, number> = {
    cached_page: 0,
    warm_map: 0,
    adopted_map: 0,
    cold_count: 0,
    lookup: 0,
  };
  /** Maps that were taken over instead of counted. */
  readonly adopted = { restart: 0, node: 0, stored: 0 };
  onCount: (count: Count) => void = () => undefined;
}
