import { ownBuffer } from '../../own-buffer.ts';
import { hiddenMember, type View } from '../view.ts';
import type { PageRange } from './find-page.ts';

export interface ListContent {
  /** The inside of a JSON array. */
  customers: string;
  total: number;
}

/** The response body of a list. */
export const listBody = (range: PageRange, { customers, total }: ListContent, view: View): Buffer =>
  ownBuffer(startOfList(customers, view) + endOfList(range, total));

/** The same in two pieces. */
export const startOfList = (customers: string, view: View): string =>
  `{${hiddenMember[view]}"data":[${customers}]`;

export function endOfList({ offset, limit }: PageRange, total: number): string {
  const pagination = JSON.stringify({ page: offset / limit + 1, per_page: limit, total });
  return `,"pagination":${pagination}}`;
}
