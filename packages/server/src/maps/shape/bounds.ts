import type { Range } from '@clientele/directory';

/** The places that cut the list into blocks of about equal size. */
export interface Bounds {
  id: string;
  places: Float64Array;
  customers: number;
}

/** About how many customers there are in a range. */
export function customersIn({ places, customers }: Bounds, { from, to }: Range): number {
  const blocks = 1 + places.filter((place) => place >= from && place < to).length;
  return (customers * blocks) / (places.length + 1);
}
