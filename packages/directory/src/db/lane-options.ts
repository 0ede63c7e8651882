import type { Timeouts } from '../settings/timeouts.ts';
import type { Login } from './login.ts';
import type { SlotLimits, Slots } from './slots.ts';

export interface LaneOptions {
  name: string;
  url: string;
  login?: Login | undefined;
  /** That of the reader by default. */
  role?: string;
  /** A lane of the same kind for another role, whose slots this one shares. */
  slotsOf?: { slots: Slots } | undefined;
  connections: number;
  timeouts: Timeouts;
  /** Milliseconds after which the server cancels a statement. */
  statementTimeout: number;
  /** Milliseconds that a query may wait for a connection, if they are not those of `timeouts.slot`. */
  slotWait?: number;
  /** Keeps idle connections. */
  keepOpen?: boolean | undefined;
  /** How many queries may wait, in all and for one access key. */
  limits?: SlotLimits;
  /** Settings for each session, such as plan_cache_mode. */
  settings?: Record<string, string>;
}
