/**
 * Keeps the ledger of an instance complete, and the instance from showing anybody who is erased in it, whatever
 * happens to the database: docs/decisions/erasure-ledger.md.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import {
  DatabaseUnavailableError,
  DatabaseUnfitError,
  erasedNow,
  type ErasureEntry,
  isErasure,
  isLift,
  isSchemaMissing,
  lackedBy,
  Ledger,
  type LedgerConfig,
  type LedgerEntry,
  type LiftEntry,
  type Nodes,
  NoSlotError,
  QueryTimeoutError,
  readEntries,
  readErasures,
  readLifts,
  readPresent,
  readSecretFile,
  readVersion,
  type RunStatement,
  uuidBytes,
} from '@clientele/directory';
import { ProblemError } from '../http/problems.ts';

export interface LedgerKeeperOptions {
  /** A replica may show somebody for this long after the erasure, in milliseconds. */
  lagMs: number;
}

/** How often the file and the database are compared, in milliseconds, unless neither has changed. */
const interval = 5_000;
/** An erasure is in the file a moment before it is in the database. */
const momentMs = 2_000;

export class LedgerKeeper {
  readonly #ledger: Ledger;
  readonly #run: RunStatement;
  readonly #lagMs: number;
  /** When each erasure was first found in the database. */
  readonly #seen = new Map<string, number>();
  /** By the bytes of their identifiers, as a string. */
  #erased = new Map<string, ErasureEntry>();
  #version: string | undefined;
  #comparing: Promise<void> | undefined;
  #state: 'unknown' | 'complete' | 'lacking' = 'unknown';
  #lacking = 0;

  constructor(ledger: Ledger, nodes: Pick<Nodes, 'authority'>, { lagMs }: LedgerKeeperOptions) {
    this.#ledger = ledger;
    this.#run = (statement, values) => nodes.authority.lookups.query(statement, values);
    this.#lagMs = lagMs;
  }

  static async open(
    { file, secretFile }: LedgerConfig,
    nodes: Nodes,
    maxLagSeconds: number,
  ): Promise<LedgerKeeper> {
    const ledger = await Ledger.open(file, await readSecretFile(secretFile));
    // Readable now, or the server does not start.
    await ledger.read();
    const lagMs = nodes.all.length > 1 ? 1_000 * (maxLagSeconds + 5) : 0;
    return new LedgerKeeper(ledger, nodes, { lagMs });
  }

  /** False when the database does not respond; throws DatabaseUnfitError if it lacks erasures. */
  async start(): Promise<boolean> {
    try {
      await this.#compareAll();
      if (this.#lacking > 0) {
        await sleep(momentMs);
        await this.#compareAll();
      }
    } catch (error) {
      if (isPassing(error)) return false;
      throw error;
    }
    if (this.#lacking > 0) throw new DatabaseUnfitError(this.#message);
    return true;
  }

  /** Throws while the database lacks erasures. */
  expectComplete(): void {
    if (this.#state === 'complete') return;
    throw new ProblemError(this.#state === 'lacking' ? 'erasures-missing' : 'database-unavailable');
  }

  /** Throws if somebody who was erased is among these customers, of 16 bytes each. */
  async expectNobodyErased(customers: Buffer): Promise<void> {
    if (this.#erasedAmong(customers).length === 0) return;
    // Lifted a moment ago, perhaps.
    await this.#compareAll().catch(() => undefined);
    const erased = this.#erasedAmong(customers);
    if (erased.length === 0) return;
    // Erased a moment ago, perhaps, while this answer was on its way.
    const present = await readPresent(this.#run, erased).catch(() => undefined);
    if (present?.size !== 0) this.#refuse(Math.max(1, this.#lacking));
    throw new ProblemError('erasures-missing');
  }

  async upkeep(log: FastifyBaseLogger, signal: AbortSignal): Promise<void> {
    let problem: string | undefined;
    while (!signal.aborted) {
      const before = problem;
      try {
        if (this.#state !== 'unknown') await this.#compare();
        problem = this.#lacking > 0 ? this.#message : undefined;
      } catch (error) {
        problem = isPassing(error) ? before : `the ledger is not kept: ${(error as Error).message}`;
      }
      if (problem !== before) {
        if (problem === undefined) log.info('the ledger of erasures is complete again');
        else log.error(problem);
      }
      await sleep(interval, undefined, { signal }).catch(() => undefined);
    }
  }

  get #message(): string {
    const { path } = this.#ledger;
    const count = this.#lacking === 1 ? 'one erasure' : `${this.#lacking} erasures`;
    return (
      `The database lacks ${count} of the ledger ${path}: it was restored from an older backup, or an erasure failed. ` +
      `Run: clientele erase --reapply ${path}`
    );
  }

  #erasedAmong(customers: Buffer): string[] {
    const found: string[] = [];
    if (this.#erased.size === 0) return found;
    for (let at = 0; at < customers.length; at += 16) {
      const entry = this.#erased.get(customers.toString('latin1', at, at + 16));
      if (entry && this.#isSettled(entry)) found.push(entry.uuid);
    }
    return found;
  }

  /** Cheap if nothing has changed. */
  async #compare(): Promise<void> {
    const version = await this.#currentVersion();
    if (version !== this.#version || this.#state !== 'complete') await this.#compareAll();
  }

  async #currentVersion(): Promise<string> {
    return `${await this.#ledger.version()} ${await readVersion(this.#run)}`;
  }

  /** All who ask at the same time share one comparison. */
  #compareAll(): Promise<void> {
    this.#comparing ??= this.#copyAndCompare().finally(() => {
      this.#comparing = undefined;
    });
    return this.#comparing;
  }

  async #copyAndCompare(): Promise<void> {
    const version = await this.#currentVersion();
    const stored = await readErasures(this.#run);
    const entries = await this.#ledger.read();
    const ids = stored.map(({ id }) => id);
    const copied = await this.#unknownTo(entries, ids);
    await this.#ledger.append(copied);
    entries.push(...copied);
    const now = performance.now();
    const isFirst = this.#state === 'unknown';
    const known = isFirst ? entries.filter(isErasure) : stored;
    for (const { id } of known) {
      if (!this.#seen.has(id)) this.#seen.set(id, isFirst ? -Infinity : now);
    }
    // While the server runs, others may be erasures whose transactions have not ended, or failed.
    const wasStored = entries.filter((entry) => isLift(entry) || this.#seen.has(entry.id));
    const erased = erasedNow(wasStored);
    const lacked = new Set(lackedBy(stored, wasStored).filter((entry) => this.#isSettled(entry)));
    // As long as nothing is wrong, answers show whether somebody has come back.
    if (this.#state !== 'complete') {
      const present = await readPresent(this.#run, [...erased.keys()]);
      for (const uuid of present) lacked.add(erased.get(uuid)!);
    }
    this.#erased = new Map([...erased].map(([uuid, entry]) => [keyOf(uuid), entry]));
    this.#version = version;
    this.#refuse(lacked.size);
  }

  /** Answers are refused unless the count is zero. */
  #refuse(lacking: number): void {
    this.#lacking = lacking;
    this.#state = lacking > 0 ? 'lacking' : 'complete';
  }

  /** Whether every node should have it. */
  #isSettled({ id }: ErasureEntry): boolean {
    return this.#seen.get(id)! <= performance.now() - this.#lagMs;
  }

  /** What the database has and the file does not. */
  async #unknownTo(entries: LedgerEntry[], ids: string[]): Promise<LedgerEntry[]> {
    const known = new Set(entries.map((entry) => (isErasure(entry) ? entry.id : liftKey(entry))));
    const unknown = ids.filter((id) => !known.has(id));
    const erasures = await readEntries(this.#run, unknown);
    const lifts = await readLifts(this.#run);
    return [...erasures, ...lifts.filter((lift) => !known.has(liftKey(lift)))];
  }
}

const keyOf = (uuid: string): string => uuidBytes(uuid).toString('latin1');

const liftKey = ({ hash, liftedAt }: LiftEntry): string =>
  `${hash.toString('hex')} ${liftedAt.getTime()}`;

/** The database is away or being restored, which others report. */
const isPassing = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError ||
  error instanceof NoSlotError ||
  error instanceof QueryTimeoutError ||
  isSchemaMissing(error);
