/** When the data of a list was current, if the server said that it may be more than two seconds old. */

/** By the request: a list that was loaded again may be fresh. */
const times = new Map<string, Date>();

/** Call it with every response of the server. */
export function noteDataAge(url: string, headers: Headers): void {
  const { searchParams } = new URL(url, location.href);
  const page = searchParams.get('page');
  if (page === null) return;
  const key = keyOf(Number(page), searchParams.get('search') ?? '');
  const at = new Date(headers.get('clientele-data-as-of') ?? '');
  if (Number.isNaN(at.getTime())) times.delete(key);
  else times.set(key, at);
}

export function dataAsOf({ page, search }: { page: number; search: string }): Date | undefined {
  return times.get(keyOf(page, search));
}

const keyOf = (page: number, search: string): string => `${page} ${search}`;
