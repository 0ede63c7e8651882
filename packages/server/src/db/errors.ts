/** What can become of a query, besides its rows. */

/** No connection to be had: refused, lost, starting up, shutting down. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** The query ran longer than its lane allows, and was cancelled. */
export class QueryTimeoutError extends Error {
  override readonly name = 'QueryTimeoutError';
}

/** Nobody waits for the answer any more; the query was cancelled. */
export class QueryAbortedError extends Error {
  override readonly name = 'QueryAbortedError';
}

/** Every slot of the lane stayed taken for as long as a request may wait. */
export class NoSlotError extends Error {
  override readonly name = 'NoSlotError';
}

/** The database answers, but is not one that we can serve from. The message says what to do. */
export class DatabaseUnfitError extends Error {
  override readonly name = 'DatabaseUnfitError';
}

/** PostgreSQL's five-character code, or Node's for a socket. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

const unavailable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // a socket file that is not there
]);

/** PostgreSQL's classes: connection, insufficient resources, shutdown and start, system error. */
const unavailableClass = /^(08|53|57P|58)/;

/** Whether the error says that the connection, not the query, is at fault. */
export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return unavailable.has(code) || unavailableClass.test(code);
  // The driver gives these no code.
  return (
    error instanceof Error &&
    /^Connection terminated|encountered a connection error|timeout expired|timeout exceeded when/i.test(
      error.message,
    )
  );
}

/** Whether the server ended the query for its age: statement_timeout, or an operator's lock_timeout. */
export function isTimeout(error: unknown): boolean {
  const code = codeOf(error);
  return code === '57014' || code === '55P03';
}

/** Whether a standby cancelled the query to catch up, or two transactions met: a retry succeeds. */
export function isPassingConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}
