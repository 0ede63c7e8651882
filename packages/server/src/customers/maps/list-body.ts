import { ownBuffer } from '../../own-buffer.ts';
import { hiddenMember, type View } from '../view.ts';
import type { PageRange } from './find-page.ts';

export interface ListContent {
  /** The inside of a JSON array. */
  customers: string;
  total: number;
}

/** The response body of a list. */
export function listBody(
  { offset, limit }: PageRange,
  { customers, total }: ListContent,
  view: View,
): Buffer {
  const pagination = JSON.stringify({ page: offset / limit + 1, per_page: limit, total });
  return ownBuffer(`{"data":[${customers}],"pagination":${pagination}${hiddenMember[view]}}`);
}
