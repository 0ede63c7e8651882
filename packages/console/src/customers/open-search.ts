import { go, readAddress, type Address } from '../address.ts';
import { noFilters, type Filters } from '../filters.ts';

export const addressOfSearch = (search: string): Address => ({
  search,
  filters: noFilters,
  page: 1,
  customer: null,
  alone: false,
});

/** A customer on its own page, without a list. */
export const addressOfCustomer = (id: string): Address => ({
  ...addressOfSearch(''),
  customer: id,
  alone: true,
});

/** Shows a search from elsewhere. The keyboard continues at the list: what had the focus disappears. */
export function openSearch(search: string, filters = noFilters): void {
  go({ ...addressOfSearch(search), filters }, 'push');
  requestAnimationFrame(() => document.getElementById('main')?.focus());
}

/** Shows the list of the present search with these filters. */
export function openFiltered(filters: Filters): void {
  const { search = '' } = readAddress(location) ?? {};
  go({ ...addressOfSearch(search), filters }, 'push');
}
