import type { Database } from '../db/database.ts';
import type { Statement } from '../db/lane.ts';
import { isUuid } from './search.ts';
import { wireColumns } from './to-wire.ts';

const lookup: Statement = {
  name: 'lookup',
  text: `select row_to_json(w)::text as customer
         from (select ${wireColumns} from public.customers as c where c.uuid = $1) as w`,
};

/**
 * A customer as JSON. Whatever is not a known customer's identifier, malformed or not, finds nobody.
 */
export async function lookupCustomer(
  { lookups }: Database,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await lookups.query<{ customer: string }>(lookup, [id], signal);
  return row?.customer;
}
