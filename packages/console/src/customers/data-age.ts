/** When the data of a list was current, if the server said that it may be more than two seconds old. */
import { listKey, readFilters, type Filters } from '../filters.ts';

/** By the request: a list that was loaded again may be fresh. */
const times = new Map<string, Date>();

/** Call it with every response of the server. */
export function noteDataAge(url: string, headers: Headers): void {
  const { searchParams } = new URL(url, location.href);
  const page = searchParams.get('page');
  if (page === null) return;
  const search = searchParams.get('search') ?? '';
  const key = keyOf({ page: Number(page), search, filters: readFilters(searchParams) });
  const at = new Date(headers.get('clientele-data-as-of') ?? '');
  if (Number.isNaN(at.getTime())) times.delete(key);
  else times.set(key, at);
}

export const dataAsOf = (request: Request): Date | undefined => times.get(keyOf(request));

interface Request {
  page: number;
  search: string;
  filters: Filters;
}

const keyOf = (request: Request): string => `${request.page} ${listKey(request)}`;
