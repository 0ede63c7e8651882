/** Sends a request to the service under test. */
import type { Nodes } from '@clientele/directory';
import { holdCounts } from '../setup/held-counts.ts';
import type { Request, Response } from './requests.ts';

export interface Service {
  origin: string;
  key: string;
  nodes: Nodes;
}

/** How long a page that cannot be shown without its count waits for it, in milliseconds. */
const longestHold = 200;

export async function ask(
  { origin, key, nodes }: Service,
  { path, rowsFirst = false }: Pick<Request, 'path' | 'rowsFirst'>,
): Promise<Response & { inTwo: boolean }> {
  // On so small a directory, a count ends before the rows are read.
  using held = rowsFirst ? await holdCounts(nodes) : undefined;
  const late = setTimeout(() => held?.release(), longestHold);
  const response = await fetch(origin + path, {
    headers: { authorization: `Bearer ${key}`, ...(rowsFirst && { prefer: 'rows-first' }) },
  });
  clearTimeout(late);
  held?.release();
  const inTwo = response.headers.has('preference-applied');
  const body: unknown = await response.json().catch((error: unknown) => {
    if (!inTwo) throw error;
    return { code: 'cut short' };
  });
  return { status: response.status, body, inTwo };
}
