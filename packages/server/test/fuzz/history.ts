/** One service, and a history of writers and operators that its responses are compared with. */
import { scopes } from '@clientele/contract';
import { startTestService, type TestService } from '@clientele/sandbox/testing';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  addOrder,
  connectToPrimary,
  orders,
  prepareMasking,
  removeOrder,
} from '@clientele/directory';
import type { Random } from '@clientele/sandbox/testing';
import { ask } from './ask.ts';
import { readRows, type Row } from './customer.ts';
import type { Sortable } from './directory.ts';
import { changeSetting, createTrigger, ddl, dropTriggers, resetSettings } from './operators.ts';
import { mutate, type Mutation } from './mutations.ts';
import type { Request, Response } from './requests.ts';
import { frequent } from './words.ts';
import { writes } from './writes.ts';

/** Of writes: repeated by writers, and never a wrong response. Of DDL: something depends on it. */
const expectedFailures = /^(?:40001|40P01|55P03|23\d{3}|2BP01|0A000|55006|27000|21000)$/;

type Operation = [name: string, work: () => Promise<unknown>];

const hasSuggestions = ({ body }: Response): boolean =>
  ((body as { data?: unknown[] }).data ?? []).length > 0;

export class History implements AsyncDisposable {
  /** Events that a long history has. */
  static readonly kinds = [
    ...Object.keys(writes),
    ...Object.keys(ddl),
    ...['setting', 'trigger', 'no trigger', 'erasure', 'new connections', 'masking'],
    ...['order on', 'order off', 'suggested', 'rows first'],
  ];

  rows: Row[] = [];
  readonly orders = new Set<Sortable>(['created_at']);
  masking = false;
  /** How often each kind of event happened. */
  readonly done: Record<string, number> = {};
  readonly #service: TestService;
  readonly #keys: { full: string; masked: string };
  readonly #origin: string;
  #writer: pg.Client;
  #within = Infinity;
  #suggests = false;

  private constructor(service: TestService, masked: string, writer: pg.Client) {
    this.#service = service;
    this.#keys = { full: service.key, masked };
    const { port } = service.app.server.address() as AddressInfo;
    this.#origin = `http://127.0.0.1:${port}`;
    this.#writer = writer;
  }

  static async start(): Promise<History> {
    const service = await startTestService();
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    const { key } = await service.makeKey(scopes.filter((scope) => scope !== 'customers:contact'));
    return new History(service, key, await service.database.connect());
  }

  /** From now on, the database makes a mistake. */
  mutate(mutation: Mutation): Promise<void> {
    return mutate(this.#writer, mutation);
  }

  /** Other customers, and no settings and triggers. Without masking, callers are refused: only at first. */
  async begin(random: Random): Promise<void> {
    await resetSettings(this.#writer);
    await this.#reconnect();
    await dropTriggers(this.#writer);
    if (this.rows.length > 0) await this.#prepareMasking();
    if (this.rows.length > 0 && random.chance(0.7)) await this.#addOrder(random);
    this.#within = random.pick(
      [Infinity, Infinity, 3, 100, 1_000].map((days) => days * 86_400_000),
    );
    await this.#write('truncate and insert', random);
    await this.#wordsDrawn();
  }

  /** The server draws words soon after its start, and then every hour: at first there have to be customers. */
  async #wordsDrawn(): Promise<void> {
    while (!this.#suggests) {
      for (const word of frequent) {
        const path = `/v3/customers/suggestions?search=${encodeURIComponent(`${word}x`)}`;
        this.#suggests ||= hasSuggestions(await this.#ask({ path, masked: false }));
      }
      await sleep(50);
    }
  }

  /** One more write or change of the schema; `during` runs at the same time. */
  async next(random: Random, during?: () => Promise<void>): Promise<void> {
    const event = random.chance(0.2)
      ? this.#change(random)
      : this.#write(random.pick(Object.keys(writes)), random);
    const both = await Promise.allSettled([event, during?.()]);
    for (const one of both) if (one.status === 'rejected') throw one.reason;
    this.rows = await readRows(this.#writer);
  }

  /** Something that changes what later writes, or requests, may do. */
  async operate(random: Random): Promise<void> {
    const trigger: Operation = ['trigger', () => createTrigger(this.#writer, random)];
    const setting: Operation = ['setting', () => this.#set(random)];
    const erasure: Operation = ['erasure', () => this.#erase(random)];
    const [name, operation] = random.pick<Operation>([
      ...[setting, setting, setting, trigger, trigger, trigger],
      ['no trigger', () => dropTriggers(this.#writer)],
      // For half a minute after an erasure, nothing is suggested.
      ...(this.done['suggested'] ? [erasure] : []),
      ['new connections', () => this.#reconnect()],
      ['masking', () => this.#prepareMasking()],
      random.chance(0.8)
        ? ['order on', () => this.#addOrder(random)]
        : ['order off', () => this.#removeOrder(random)],
    ]);
    await this.#attempt(name, operation);
    this.rows = await readRows(this.#writer);
  }

  async #change(random: Random): Promise<void> {
    const name = random.pick(Object.keys(ddl));
    await this.#attempt(name, () => this.#writer.query(ddl[name]!));
  }

  async #set(random: Random): Promise<void> {
    await changeSetting(this.#writer, random);
    await this.#reconnect();
  }

  /** The writer and the server get new sessions, which have the settings. */
  async #reconnect(): Promise<void> {
    await this.#writer.end();
    this.#writer = await this.#service.database.connect();
    await this.#writer.query(
      `select pg_catalog.pg_terminate_backend(a.pid) from pg_catalog.pg_stat_activity as a
       where a.datname = pg_catalog.current_database() and a.application_name like 'clientele%'`,
    );
  }

  async #addOrder(random: Random): Promise<void> {
    const off = orders.filter((order) => !this.orders.has(order));
    const order = random.pick(off.length > 0 ? off : orders);
    await this.#command((client) => addOrder(client, order));
    this.orders.add(order);
    await this.#noticed(`/v3/customers?sort=${order}`, false);
  }

  async #removeOrder(random: Random): Promise<void> {
    const order = random.pick(orders);
    await this.#command((client) => removeOrder(client, order));
    this.orders.delete(order);
  }

  async #prepareMasking(): Promise<void> {
    if (this.masking) return;
    await this.#command((client) => prepareMasking(client));
    this.masking = true;
    await this.#noticed('/v3/customers', true);
  }

  /** Instances look once a second. */
  async #noticed(path: string, masked: boolean): Promise<void> {
    while ((await this.#ask({ path, masked })).status !== 200) await sleep(50);
  }

  /** As commands do, in a session with the settings that they need. */
  async #command(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
    const client = await connectToPrimary(this.#service.database.url, {});
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }

  async #erase(random: Random): Promise<void> {
    if (this.rows.length === 0) return;
    const { uuid } = random.pick(this.rows);
    await this.#writer.query('select clientele.erase_customer($1::uuid)', [uuid]);
    if (random.chance(0.5)) {
      await this.#writer.query('select clientele.analyze_erased()');
      await this.#writer.query(`select clientele.clear_erasures('0 seconds')`);
    }
  }

  /** The response, once the server has connections again. */
  async get(request: Request): Promise<Response> {
    const { path } = request;
    for (;;) {
      const response = await this.#ask(request);
      const { code } = response.body as { code?: string };
      if (!['database-unavailable', 'overloaded', 'cut short'].includes(code ?? '')) {
        if (response.inTwo) this.#count('rows first');
        if (path.includes('/suggestions?') && hasSuggestions(response)) this.#count('suggested');
        return response;
      }
      this.#count(code!);
      await sleep(20);
    }
  }

  #ask(request: Pick<Request, 'path' | 'masked' | 'rowsFirst'>) {
    const key = request.masked ? this.#keys.masked : this.#keys.full;
    return ask({ origin: this.#origin, key, nodes: this.#service.nodes }, request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await resetSettings(this.#writer);
    await this.#service[Symbol.asyncDispose]();
  }

  async #write(name: string, random: Random): Promise<void> {
    await this.#attempt(name, () =>
      writes[name]!({ client: this.#writer, random, rows: this.rows, within: this.#within }),
    );
    this.rows = await readRows(this.#writer);
  }

  async #attempt(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#count(name);
    } catch (error) {
      const { code } = error as { code?: string };
      if (!code || !expectedFailures.test(code)) throw error;
      this.#count(`${name}: ${code}`);
    }
  }

  #count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }
}
