import type { Customer } from '@clientele/client';
import type { Filters } from '../filters.ts';
import type { Search } from '../search/matches.ts';
import type { DataAge } from './data-age.ts';

/** An answer of the server, and the request that it belongs to. */
export interface ShownList {
  items: Customer[];
  page: number;
  /** Undefined while it is being counted. */
  total: number | undefined;
  perPage: number;
  /** Parsed, to mark the matches. */
  search: Search;
  searchText: string;
  filters: Filters;
  updatedAt: number;
  /** Set if the data was more than two seconds old. */
  asOf: DataAge | undefined;
}
