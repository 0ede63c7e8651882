import type { WireCustomer } from '@clientele/contract';
import type { Database } from '../db/database.ts';
import { isUuid } from './search.ts';
import { toWire, wireColumns } from './to-wire.ts';

const statement = {
  name: 'lookup',
  text: `select ${wireColumns} from public.customers as c where c.uuid = $1`,
};

/** Whatever is not a known customer's identifier, malformed or not, finds nobody. */
export async function lookupCustomer(
  database: Database,
  id: string,
  signal: AbortSignal,
): Promise<WireCustomer | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await database.lookups.query<WireCustomer>(statement, [id], signal);
  return row && toWire(row);
}
