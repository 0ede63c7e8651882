/**
 * How long each layer waits, in milliseconds. Each outlasts the one inside it, so that a delay is
 * reported by the layer that knows its cause. A test checks this nesting.
 */
export const timeouts = Object.freeze({
  /** How long a request may wait to be admitted. A refusal has to be quick. */
  admission: 25,
  slot: 300,
  connect: 1_000,
  /** A healthy node answers a probe in a few milliseconds. */
  probe: 300,
  lookup: 500,
  /** How long the primary may take to record answers before they go to the spool. */
  audit: 600,
  /** How long a migration waits for a lock: reads of the table wait behind it, and for no longer than for a slot. */
  migrationLock: 200,
  list: 5_000,
  /** Reading what a search means, and its first rows, which help only if they come before its count. */
  rows: 5_000,
  rowsSlot: 1_500,
  /**
   * A scan takes as long as the table is large. It is cancelled when its last client leaves, and goes on when its
   * request has timed out. It may wait `scanLock` for a lock. A request may wait `countSlot` for the turn of its count:
   * its rows do not.
   */
  scan: 600_000,
  scanLock: 5_000,
  countSlot: 7_000,
  /** The client-side timer fires this much after the server-side statement_timeout. */
  cancelAfter: 500,
  /** How long a query that nobody waits for may take to end once it is cancelled; then its connection is closed. */
  aborted: 2_000,
  handler: 8_000,
  /** How long a client may take to read a response, and be idle while many others are. */
  response: 14_000,
  idleAmongMany: 10_000,
  headers: 5_000,
  request: 10_000,
  keepAlive: 65_000,
  /** How long load balancers may take to notice that an instance is stopping, and how long it may then take to finish. */
  turnAway: 1_000,
  lastLook: 300,
  drain: 8_500,
  /** How long the collector of traces may take to accept a batch, and the last ones before the exit. */
  export: 5_000,
  lastExport: 1_000,
});

export type Timeouts = { readonly [name in keyof typeof timeouts]: number };
