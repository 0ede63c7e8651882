/** What every read of customers goes through, in the documented order: rate, parameters, records, admission, audit. */
import type { ParameterProblem } from '@clientele/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answered, Audit } from '../privacy/audit.ts';
import type { LedgerKeeper } from '../privacy/ledger-keeper.ts';
import type { Admission, RequestKind } from '../http/admission.ts';
import { whileWanted } from '../http/hang-up.ts';
import { ProblemError } from '../http/problems.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import type { RecordsLimit } from '../access/records-limit.ts';
import type { Dated } from './customers.ts';
import { RowsFirst, type Content } from '../responses/list-body.ts';
import { cutShort, sendRowsFirst } from './send-rows-first.ts';

export interface ReadChecksOptions {
  rate: RateLimit;
  admission: Admission;
  records: RecordsLimit;
  /** How long a request may take, in milliseconds. */
  longest: number;
  /** Undefined where no ledger of erasures is kept. */
  keeper?: LedgerKeeper | undefined;
  /** Undefined where reads are not audited. */
  audit?: Audit | undefined;
}

/** How the routes differ. */
export interface Read {
  kind: RequestKind;
  /** What is wrong with the parameters. */
  errors: ParameterProblem[];
  /** A limit of this route alone. */
  check?: () => void;
  read: (signal: AbortSignal) => Promise<Dated<Content<Buffer | string> | RowsFirst>>;
  /** What the audit records in addition. */
  entry: () => Omit<Answered, 'customers' | 'total'>;
}

export class ReadChecks {
  readonly #options: ReadChecksOptions;

  constructor(options: ReadChecksOptions) {
    this.#options = options;
  }

  /** The handler of a read, after its route, authentication and scopes. */
  async answer(request: FastifyRequest, reply: FastifyReply, of: Read): Promise<FastifyReply> {
    const { admission, longest } = this.#options;
    const { kind, errors, check, read, entry } = of;
    // A console session counts as the key that it was started with.
    const { caller } = request;
    this.#begin(request, reply, kind, errors);
    check?.();
    try {
      const { content, asOf } = await whileWanted(reply, longest, async (signal) => {
        const found = await admission.admit(kind, caller?.id ?? '', signal, () => read(signal));
        const { content: rows, asOf: at } = found;
        if (!(rows instanceof RowsFirst)) return { content: rows, asOf: at };
        // Its place is free for another request: counts wait for each other in their lanes.
        const { shown } = rows;
        const show = () => this.#show(request, reply, at, { ...entry(), total: null, shown });
        await sendRowsFirst(reply, rows, signal, show);
        return { content: undefined, asOf: at };
      });
      if (!content) return reply;
      const { body, total, shown } = content;
      await this.#show(request, reply, asOf, { ...entry(), total, shown });
      return reply.type('application/json; charset=utf-8').send(body);
    } catch (error) {
      if (cutShort(reply, error)) return reply;
      throw error;
    }
  }

  /** Before any work. */
  #begin(
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

  /** Before anything is sent. An answer counts as one record even where nobody is shown. */
  async #show(
    request: FastifyRequest,
    reply: FastifyReply,
    asOf: string | undefined,
    { shown, ...entry }: Omit<Answered, 'customers'> & Pick<Content, 'shown'>,
  ): Promise<void> {
    const { records, keeper, audit } = this.#options;
    if (keeper) await keeper.expectNobodyErased(shown);
    await records.take(request.caller, Math.max(1, shown.length / 16));
    sayAsOf(reply, asOf);
    if (audit) await audit.record(request, { ...entry, customers: shown });
  }
}

/** All faults at once; the first one gives the answer its code. */
function refuse(errors: ParameterProblem[]): void {
  if (errors.length === 0) return;
  const detail = errors.map((error) => error.detail).join(' ');
  throw new ProblemError(errors[0]!.code, detail, { errors });
}

export function sayAsOf(reply: FastifyReply, asOf: string | undefined): void {
  if (asOf !== undefined) reply.header('clientele-data-as-of', asOf);
}
