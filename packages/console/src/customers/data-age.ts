/** When the data of a list was current, if the server said that it may be more than two seconds old. */
import { listKey, readFilters, type Filters } from '../filters.ts';

/** Unknown where the server has not seen the current data. */
export type DataAge = Date | 'unknown';

/** By the request: a list that was loaded again may be fresh. */
const times = new Map<string, DataAge>();

/** Call it with every response for the list. */
export function noteDataAge(url: string, { ok, headers }: Response): void {
  // The rows of the response before stay on screen.
  if (!ok) return;
  const { searchParams } = new URL(url, location.href);
  const page = searchParams.get('page');
  if (page === null) return;
  const search = searchParams.get('search') ?? '';
  const key = keyOf({
    page: Number(page),
    perPage: Number(searchParams.get('perPage')),
    search,
    filters: readFilters(searchParams),
  });
  const asOf = headers.get('clientele-data-as-of');
  const at = new Date(asOf ?? '');
  if (asOf === null) times.delete(key);
  else times.set(key, Number.isNaN(at.getTime()) ? 'unknown' : at);
}

export const dataAsOf = (request: Request): DataAge | undefined => times.get(keyOf(request));

interface Request {
  page: number;
  perPage: number;
  search: string;
  filters: Filters;
}

const keyOf = (request: Request): string =>
  `${request.page} ${request.perPage} ${listKey(request)}`;
