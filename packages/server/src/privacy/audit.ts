/** The read audit of a server: what its routes call, and its upkeep. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import {
  type AuditConfig,
  type AuditEntry,
  AuditLog,
  AuditUnavailableError,
  Checkpoints,
  defaultSpool,
  dropOldMonth,
  nobody,
  type Nodes,
  type Queries,
  readSecretFile,
  type Secret,
  Spool,
} from '@clientele/directory';
import { ProblemError } from '../http/problems.ts';
import { addAuditMetrics } from './audit-metrics.ts';

export type Answered = Omit<AuditEntry, 'caller' | 'address' | 'requestId'>;

const hour = 3_600_000;

export class Audit {
  readonly #log: AuditLog;
  readonly #checkpoints: Checkpoints;
  /** Drops old months, so that no response waits for that in the audit's own lane. */
  readonly #upkeep: Queries;
  readonly #logger: FastifyBaseLogger;
  /** Logged when the server has started. */
  readonly #warnings: string[] = [];

  private constructor(
    nodes: Nodes,
    logger: FastifyBaseLogger,
    spool: Spool | undefined,
    secret: Secret | undefined,
    underway: () => number,
  ) {
    const primary = nodes.authority.audit;
    this.#upkeep = nodes.authority.upkeep;
    this.#logger = logger;
    this.#log = new AuditLog({
      primary,
      log: logger,
      spool,
      searchKey: secret?.searchKey,
      underway,
    });
    const end = () => this.#log.stored;
    this.#checkpoints = new Checkpoints({ primary, log: logger, secret, end });
  }

  static async open(
    { spool: folder, secretFile, ...given }: AuditConfig,
    nodes: Nodes,
    logger: FastifyBaseLogger,
    underway: () => number,
  ): Promise<Audit> {
    const secret = given.secret ?? (secretFile ? await readSecretFile(secretFile) : undefined);
    const { spool, warning } = await openSpool(
      folder ?? (await defaultSpool(nodes.all.map(({ url }) => url))),
    );
    const audit = new Audit(nodes, logger, spool, secret, underway);
    if (warning !== undefined) audit.#warnings.push(warning);
    if (!secret) audit.#warnings.push(noSecret);
    return audit;
  }

  addMetrics(registry: Registry): void {
    addAuditMetrics(this.#log, registry);
  }

  /** Resolves when it is on record that this request is answered so. */
  async record(request: FastifyRequest, answered: Answered): Promise<void> {
    const { caller, ip, id } = request;
    try {
      await this.#log.record({ ...answered, caller: caller ?? nobody, address: ip, requestId: id });
    } catch (cause) {
      if (!(cause instanceof AuditUnavailableError)) throw cause;
      throw new ProblemError('audit-unavailable', undefined, { cause });
    }
  }

  /** Until the signal fires. */
  async upkeep(signal: AbortSignal): Promise<void> {
    for (const warning of this.#warnings) this.#logger.warn(warning);
    void this.#log.keepAdopting();
    void this.#checkpoints.keepChecking(signal);
    while (!signal.aborted) {
      let wait = hour;
      try {
        await this.#dropOldMonths(signal);
      } catch {
        // The database is down, or somebody reads the audit; try again soon.
        wait = 10_000;
      }
      await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #dropOldMonths(signal: AbortSignal): Promise<void> {
    for (;;) {
      const month = await dropOldMonth(this.#upkeep, signal);
      if (month === undefined) return;
      this.#logger.info({ month }, 'dropped the audit entries of a month');
    }
  }

  async close(): Promise<void> {
    await this.#log.close();
    await this.#checkpoints.check({ others: false });
  }
}

const noSecret =
  'no CLIENTELE_SECRET_FILE: audit entries carry no search hash, and checkpoints are not signed. ' +
  'Create the file with: clientele secret create';

/** A warning if nothing can be written there. */
async function openSpool(folder: string): Promise<{ spool?: Spool; warning?: string }> {
  if (folder === 'none') return {};
  try {
    return { spool: await Spool.open(folder) };
  } catch (error) {
    const warning =
      `no spool for audit entries (${(error as Error).message}): while the primary is away, responses ` +
      'about customers are refused. Set CLIENTELE_AUDIT_SPOOL to a folder that only this user can write to';
    return { warning };
  }
}
