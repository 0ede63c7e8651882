import { go, type Address } from '../address.ts';

export const addressOfSearch = (search: string): Address => ({
  search,
  page: 1,
  customer: null,
  alone: false,
});

/** Shows a search from elsewhere. The keyboard continues at the list: what had the focus disappears. */
export function openSearch(search: string): void {
  go(addressOfSearch(search), 'push');
  requestAnimationFrame(() => document.getElementById('main')?.focus());
}
