export const list = '/v3/customers';

export const searchPath = (search: string, page = 1): string =>
  `${list}?search=${encodeURIComponent(search)}&page=${page}`;

export const totalOf = (body: string): number =>
  (JSON.parse(body) as { pagination: { total: number } }).pagination.total;
