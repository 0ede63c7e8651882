/** Records what a command exports, before it is written. There is no spool: without a primary, there is no export. */
import type pg from 'pg';
import type { Queries } from '../db/nodes.ts';
import { newChain, nextBatch, type ChainEnd } from './batch.ts';
import { describeLogin, queriesOf } from './command-audit.ts';
import { toJson, type AuditEntry } from './entry.ts';
import { readSecretFile } from '../settings/secret.ts';
import { storeBatch } from './store.ts';

type Asked = Pick<AuditEntry, 'search' | 'filters' | 'sort'>;
type Fixed = Asked & Pick<AuditEntry, 'caller' | 'address' | 'requestId'>;

export class ExportAudit {
  readonly #primary: Queries;
  readonly #fixed: Fixed;
  readonly #searchKey: Buffer | undefined;
  #end: ChainEnd = newChain();

  private constructor(primary: Queries, fixed: Fixed, searchKey: Buffer | undefined) {
    this.#primary = primary;
    this.#fixed = fixed;
    this.#searchKey = searchKey;
  }

  /** The caller is the login of the connection, which must not be that of the export's own transaction. */
  static async start(
    client: pg.Client,
    { secretFile, ...query }: Asked & { secretFile: string | undefined },
  ): Promise<ExportAudit> {
    const secret = secretFile === undefined ? undefined : await readSecretFile(secretFile);
    const fixed = { ...(await describeLogin(client)), ...query };
    return new ExportAudit(queriesOf(client), fixed, secret?.searchKey);
  }

  /** Customers of 16 bytes each. */
  async record(customers: Buffer): Promise<void> {
    const entry: AuditEntry = {
      ...this.#fixed,
      action: 'export',
      page: this.#end.number + 1,
      perPage: customers.length / 16,
      total: null,
      customers,
    };
    const entries = Buffer.from(`[${toJson(entry, new Date(), this.#searchKey)}]`);
    const batch = nextBatch(this.#end, { entries, customers });
    if ((await storeBatch(this.#primary, batch)) !== batch.number) {
      throw new Error('The audit has lost the entries of this export. Start it again.');
    }
    this.#end = batch;
  }
}
