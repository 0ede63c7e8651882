/** The database as the service uses it: one lane for each kind of work. */
import { timeouts, type DatabaseConfig } from '../config.ts';
import { Lane } from './lane.ts';

export interface Database {
  /** One customer, one key: a primary key each. */
  lookups: Lane;
  /** Pages of the unsearched list. */
  lists: Lane;
  /** Searches, which may be heavy. */
  searches: Lane;
  /** The one thing that is written: that a session was signed out. */
  signOuts: Lane;
  close(): Promise<void>;
}

export function openDatabase({ url, connections }: DatabaseConfig): Database {
  // Statements of a fixed shape keep one plan. A search's best plan depends on its text, and a
  // generic one may ignore the trigram index.
  const fixed = { plan_cache_mode: 'force_generic_plan' };
  const perValue = { plan_cache_mode: 'force_custom_plan' };
  const lane = (name: keyof typeof connections, statementTimeout: number, settings: typeof fixed) =>
    new Lane({ name, url, connections: connections[name], statementTimeout, settings });

  const lookups = lane('lookups', timeouts.lookup, fixed);
  const lists = lane('lists', timeouts.list, fixed);
  const searches = lane('searches', timeouts.list, perValue);
  const signOuts = new Lane({
    name: 'signOuts',
    url,
    connections: 1,
    statementTimeout: timeouts.lookup,
    settings: { default_transaction_read_only: 'off' },
  });
  return {
    lookups,
    lists,
    searches,
    signOuts,
    async close() {
      await Promise.all([lookups, lists, searches, signOuts].map((each) => each.close()));
    },
  };
}
