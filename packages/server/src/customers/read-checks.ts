/** The checks of every read of customers, in the documented order: rate, parameters, records, admission. */
import type { ParameterProblem } from '@clientele/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answered, Audit } from '../audit/audit.ts';
import type { LedgerKeeper } from '../erasure/ledger-keeper.ts';
import type { Admission, RequestKind } from '../http/admission.ts';
import { ProblemError } from '../http/problems.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { RecordsLimit } from '../http/records-limit.ts';

export interface ReadChecksOptions {
  rate: RateLimit;
  admission: Admission;
  records: RecordsLimit;
  /** Undefined where no ledger of erasures is kept. */
  keeper?: LedgerKeeper | undefined;
  /** Undefined where reads are not audited. */
  audit?: Audit | undefined;
}

export interface Shown {
  /** How old the data may be, in milliseconds. */
  age: number;
  /** 16 bytes for each customer. */
  customers: () => Buffer;
  /** What else the audit records. */
  entry: () => Omit<Answered, 'customers'>;
}

export class ReadChecks {
  readonly #options: ReadChecksOptions;

  constructor(options: ReadChecksOptions) {
    this.#options = options;
  }

  /** Before any work. */
  begin(
    { caller }: FastifyRequest,
    reply: FastifyReply,
    kind: RequestKind,
    errors: ParameterProblem[],
  ): void {
    const { rate, records, keeper } = this.#options;
    if (caller) reply.headers(rate.take(caller.id, kind));
    refuse(errors);
    records.check(caller);
    keeper?.expectComplete();
  }

  /** Does the work when it is its turn. A console session counts as the key that it was started with. */
  admit<T>(
    { caller }: FastifyRequest,
    kind: RequestKind,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.#options.admission.admit(kind, caller?.id ?? '', signal, work);
  }

  /** Before anything is sent. An answer counts as one record even where nobody is shown. */
  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    { age, customers, entry }: Shown,
  ): Promise<void> {
    const { records, keeper, audit } = this.#options;
    if (keeper) await keeper.expectNobodyErased(customers());
    await records.take(request.caller, () => Math.max(1, customers().length / 16));
    sayAge(reply, age);
    if (audit) await audit.record(request, { ...entry(), customers: customers() });
  }
}

/** All faults at once; the first one gives the answer its code. */
function refuse(errors: ParameterProblem[]): void {
  if (errors.length === 0) return;
  const detail = errors.map((error) => error.detail).join(' ');
  throw new ProblemError(errors[0]!.code, detail, { errors });
}

/** Data may be this old, in milliseconds, without the response saying so. */
const unremarkableAge = 2_000;

export function sayAge(reply: FastifyReply, age: number): void {
  if (age <= unremarkableAge) return;
  const asOf = Number.isFinite(age) ? new Date(Date.now() - age).toISOString() : 'unknown';
  reply.header('clientele-data-as-of', asOf);
}
