/** The response body of a list, in one piece or in two, and what the checks of the response have to know of it. */
import { hiddenMember, ownBuffer, type View } from '@clientele/directory';
import { SharedWork } from './shared-work.ts';

/** A response body, and what it shows. */
export interface Content<Body = Buffer> {
  body: Body;
  /** Null where nobody was counted. */
  total: number | null;
  /** 16 bytes for each customer that is shown. */
  shown: Buffer;
}

export const nobody = Buffer.alloc(0);

export interface PageRange {
  offset: number;
  limit: number;
}

/** The response body of a list. `customers` is the inside of a JSON array. */
export const listBody = (range: PageRange, customers: string, total: number, view: View): Buffer =>
  ownBuffer(startOfList(customers, view) + endOfList(range, total));

/** The same in two pieces. */
export const startOfList = (customers: string, view: View): string =>
  `{${hiddenMember[view]}"data":[${customers}]`;

export function endOfList({ offset, limit }: PageRange, total: number): string {
  const pagination = JSON.stringify({ page: offset / limit + 1, per_page: limit, total });
  return `,"pagination":${pagination}}`;
}

/** The response body in two pieces. Everybody who was given it joins the end at once. */
export class RowsFirst {
  readonly rows: Buffer;
  /** 16 bytes for each customer of the rows. */
  readonly shown: Buffer;
  readonly #end: SharedWork<Buffer>;

  constructor(rows: Buffer, shown: Buffer, end: (signal: AbortSignal) => Promise<Buffer>) {
    this.rows = rows;
    this.shown = shown;
    this.#end = new SharedWork(end);
    setImmediate(() => this.#end.abandonIfUnwanted());
  }

  /** Settles with the rest of the body, for whoever does not want it. */
  get ended(): Promise<unknown> {
    return this.#end.result;
  }

  /** The rest of the body. The count is cancelled when the last caller leaves. */
  end(signal: AbortSignal): Promise<Buffer> {
    return this.#end.join(signal);
  }
}
