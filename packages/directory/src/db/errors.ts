/** How a query can fail. */
import pg from 'pg';
import { codeOf } from './error-code.ts';

/** No connection: refused, lost, starting up, shutting down. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
}

/** The query ran longer than its lane allows and was cancelled. */
export class QueryTimeoutError extends Error {
  override readonly name = 'QueryTimeoutError';
}

/** No request waits for the query any more; it was cancelled. */
export class QueryAbortedError extends Error {
  override readonly name = 'QueryAbortedError';
}

/** Every slot of the lane was taken for as long as a request may wait. The message is the lane's name. */
export class NoSlotError extends Error {
  override readonly name = 'NoSlotError';
}

/** The database responds but cannot be served from. The message says what to do. */
export class DatabaseUnfitError extends Error {
  override readonly name = 'DatabaseUnfitError';
}

/**
 * What one connection counted cannot be used on another, again and again: they reach different servers
 * or databases.
 */
export class DatabaseMismatchError extends Error {
  override readonly name = 'DatabaseMismatchError';
}

/** A trigger of the change log is missing or disabled, so nothing that was counted stays right. */
export class UnloggedWritesError extends DatabaseMismatchError {}

/** The order of a list is not on: it has been removed, or this node does not know of it yet. */
export class OrderOffError extends Error {
  override readonly name = 'OrderOffError';
}

/** The log cannot say how many matched when the rows were read: a bulk change, an erasure or a trim came after them. */
export class RowsOutdatedError extends Error {
  override readonly name = 'RowsOutdatedError';
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
  'ENOENT', // a missing socket file
]);

/** PostgreSQL's classes: connection, insufficient resources, shutdown and start, system error. */
const unavailableClass = /^(08|53|57P|58)/;

/** Whether the connection, not the query, is at fault. */
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

/** Why a server that responds could not be connected to. Undefined if nothing responded. */
export function refusalOf(error: unknown): string | undefined {
  if (isConnectionError(error) && !(error instanceof pg.DatabaseError)) return undefined;
  return (error as Error).message;
}

/** The disk is full, memory is out, or a limit such as temp_file_limit is reached: trying again does not help. */
export function isExhausted(error: unknown): boolean {
  return ['53100', '53200', '53400'].includes(codeOf(error) ?? '');
}

/** Whether there was no answer in time, as opposed to a refusal. */
export function isTooLate(error: unknown): boolean {
  if (error instanceof QueryTimeoutError || codeOf(error) === 'ETIMEDOUT') return true;
  return error instanceof Error && /timeout e/i.test(error.message);
}

/** Whether a table, schema, function or privilege is missing: the database is being restored. */
export function isSchemaMissing(error: unknown): boolean {
  return ['42P01', '3F000', '42883', '42501'].includes(codeOf(error) ?? '');
}

/** Whether the server cancelled the query: statement_timeout or lock_timeout. */
export function isTimeout(error: unknown): boolean {
  const code = codeOf(error);
  return code === '57014' || code === '55P03';
}

/** Whether a standby cancelled the query to catch up, or transactions conflicted: a retry may succeed. */
export function isPassingConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}
