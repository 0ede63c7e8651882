/**
 * Imports, feeds and --replace give what the model of docs/data-model.md gives, whatever the batches, however
 * files are split and interrupted, and when an import and a feed run at once.
 *
 * `IMPORT_HISTORIES=10000` runs more histories, `IMPORT_SEED` repeats a run.
 */
import { rm, writeFile } from 'node:fs/promises';
import { customerId, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { replaceHere } from './setup/replace-here.ts';
import * as model from './setup/directory-model.ts';
import {
  dayText,
  generateSteps,
  Random,
  type Line,
  type Run,
  type Step,
} from './setup/histories.ts';
import { importHere } from './setup/import-here.ts';
import { syncHere } from './setup/sync-here.ts';

const histories = Number(process.env['IMPORT_HISTORIES'] ?? 50);
const seed = Number(process.env['IMPORT_SEED'] ?? Date.now() % 1_000_000);
/** Histories of different customers cannot affect each other, so they share files and batches. */
const together = histories < 1_000 ? 25 : 10;

const { database, folder } = setUpDatabaseAndFolder();

class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

class World {
  readonly #states: model.State[];
  /** What happened to each customer, for the message of a failure. */
  readonly #events: string[][];
  /** Found while a run was interrupted. */
  readonly #differences: string[] = [];
  readonly #runs = new Map<Run, number>();

  constructor(customers: number) {
    this.#states = Array.from({ length: customers }, () => model.unknown);
    this.#events = this.#states.map(() => []);
  }

  /** Returns how the directory differs from the model, customer by customer. */
  async perform(step: Step): Promise<string[]> {
    switch (step.kind) {
      case 'import':
      case 'sync':
        for (const [i, run] of step.runs.entries()) {
          await this.#interrupted(step.kind, run, i === 0 ? step.meanwhile : undefined);
        }
        break;
      case 'both': {
        await Promise.all([this.#import(step.file), this.#sync(step.feed)]);
        return this.#allow(step.file, step.feed);
      }
      case 'replace':
        await this.#replace(step.runs);
        break;
      case 'truncate':
        await database.query('truncate public.customers');
        this.#each('truncate', model.truncate);
        break;
      case 'erase':
        for (const customer of step.customers) {
          await database.query('select clientele.erase_customer($1)', [customerId(customer)]);
          this.#apply([{ customer, record: () => ({ op: 'erase', time: 0 }) }], 'feed');
        }
        break;
      case 'delete by SQL':
        await database.query('delete from public.customers where uuid = any ($1)', [
          step.customers.map(customerId),
        ]);
        this.#each('deleted by SQL', model.truncate, new Set(step.customers));
        break;
    }
    const actual = await readStates(this.#states.length);
    const now = this.#states.flatMap((state, customer) => {
      const expected = model.describe(state);
      if (actual[customer] === expected) return [];
      return [`${this.#story(customer)}\nis: ${actual[customer]}\nmust be: ${expected}`];
    });
    return [...this.#differences.splice(0), ...now];
  }

  async #interrupted(
    kind: 'import' | 'sync',
    run: Run,
    meanwhile: Step | undefined,
  ): Promise<void> {
    const start = kind === 'import' ? this.#import.bind(this) : this.#sync.bind(this);
    const source = kind === 'import' ? 'file' : 'feed';
    let done = 0;
    if (run.interruptedAfter !== undefined) {
      done = await start(run, run.interruptedAfter);
      this.#apply(run.lines.slice(0, done), source);
      this.#each('interrupted', (state) => state);
      if (meanwhile) this.#differences.push(...(await this.perform(meanwhile)));
      // A finished import starts again, and so does every run after a truncate.
      const finished = kind === 'import' && done === run.lines.length;
      if (finished || meanwhile?.kind === 'truncate') done = 0;
    }
    await start(run);
    this.#apply(run.lines.slice(done), source);
  }

  #idOf(run: Run): number {
    if (!this.#runs.has(run)) this.#runs.set(run, this.#runs.size);
    return this.#runs.get(run)!;
  }

  /** Returns how many records were committed. */
  async #import(run: Run, interruptedAfter = Infinity): Promise<number> {
    const path = folder.path(`file-${this.#idOf(run)}`);
    await writeFile(path, run.content);
    let committed = 0;
    try {
      await importHere(database.url, path, {
        batchSize: run.batchSize,
        rejects: folder.path('rejects.csv'),
        fingerprint: `file ${this.#idOf(run)}`,
        asOf: run.asOf === undefined ? undefined : dayText(run.asOf),
        onProgress({ read }) {
          committed = read;
          if (read >= interruptedAfter) throw new Interrupted();
        },
      });
      return run.lines.length;
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      return committed;
    }
  }

  /** An interrupted feed ends in the middle of a line, or its reader is stopped. */
  async #sync(run: Run, interruptedAfter = Infinity): Promise<number> {
    const path = folder.path(`feed-${this.#idOf(run)}.ndjson`);
    const cut = interruptedAfter < Infinity && interruptedAfter % 2 === 0;
    const share = (interruptedAfter + 0.5) / run.lines.length;
    const content = cut ? run.content.slice(0, share * run.content.length) : run.content;
    await writeFile(path, content);
    let committed = 0;
    try {
      await syncHere(database.url, path, {
        batchSize: run.batchSize,
        rejects: folder.path('rejects.csv'),
        onCommit({ read }) {
          committed = read;
          if (!cut && read >= interruptedAfter) throw new Interrupted();
        },
      });
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    }
    return committed;
  }

  async #replace(runs: Run[]): Promise<void> {
    const paths = runs.map((_, i) => folder.path(`replace-${i}`));
    for (const [i, run] of runs.entries()) await writeFile(paths[i]!, run.content);
    const [{ asOf, batchSize }] = runs as [Run];
    const lines = runs.flatMap((run) => run.lines);
    await replaceHere(paths, {
      databaseUrl: database.url,
      batch: batchSize,
      asOf: asOf === undefined ? undefined : dayText(asOf),
    });
    for (const [customer, state] of this.#states.entries()) {
      const records = recordsOf(customer, lines);
      this.#note(customer, `replace as of ${asOf} with ${JSON.stringify(records)}`);
      this.#states[customer] = model.replace(state, records, asOf ?? null);
    }
  }

  #note(customer: number, event: string): void {
    this.#events[customer]!.push(event);
  }

  #each(event: string, change: (state: model.State) => model.State, only?: Set<number>): void {
    for (const [customer, state] of this.#states.entries()) {
      if (only && !only.has(customer)) continue;
      this.#note(customer, event);
      this.#states[customer] = change(state);
    }
  }

  #apply(lines: Line[], source: 'file' | 'feed'): void {
    for (const line of lines) {
      const [customer, made] = [line.customer, line.record()];
      this.#note(customer, `${source} ${JSON.stringify(made)}`);
      this.#states[customer] = model.apply(this.#states[customer]!, made, source);
    }
  }

  /** An import and a feed ran at once: takes over the state of each customer, if the model allows it. */
  async #allow(file: Run, feed: Run): Promise<string[]> {
    const actual = await readStates(this.#states.length);
    return this.#states.flatMap((state, customer) => {
      const [one, two] = [recordsOf(customer, file.lines), recordsOf(customer, feed.lines)];
      this.#note(customer, `at once: file ${JSON.stringify(one)}, feed ${JSON.stringify(two)}`);
      const allowed = model.applyBoth(state, one, two);
      const found = allowed.find((each) => model.describe(each) === actual[customer]);
      this.#states[customer] = found ?? state;
      if (found) return [];
      const ways = allowed.map(model.describe).join('\n');
      return [`${this.#story(customer)}\nis: ${actual[customer]}\nmay be:\n${ways}`];
    });
  }

  #story(customer: number): string {
    return `customer ${customer}:\n${this.#events[customer]!.join('\n')}`;
  }
}

const recordsOf = (customer: number, lines: Line[]): model.ModelRecord[] =>
  lines.filter((line) => line.customer === customer).map((line) => line.record());

type Row = Required<model.Fields> & { time: number | null; deleted_at: number | null };

/** All customers of the directory as the model describes them. */
async function readStates(customers: number): Promise<string[]> {
  const day = (column: string): string =>
    `case when ${column} = 'infinity' then 'Infinity'::float8
       else extract(epoch from ${column} - '2019-12-31T00:00Z') / 86400 end::float8`;
  const rows = await database.query<Row>(
    `select i.uuid, c.full_name as name, c.phone_number as phone, c.company_name as company,
       c.total_orders::int as orders, ${day('c.updated_at')} as time,
       ${day('g.gone_at')} as deleted_at
     from unnest($1::uuid[]) with ordinality as i (uuid, at)
     left join public.customers as c on c.uuid = i.uuid
     left join clientele.gone_customers as g on g.uuid = i.uuid
     order by i.at`,
    [Array.from({ length: customers }, (_, i) => customerId(i))],
  );
  return rows.map(({ name, phone, company, orders, time, deleted_at: deletedAt }) =>
    model.describe({
      customer: name === null ? null : { name, phone, company, orders, time },
      deletedAt,
    }),
  );
}

test(
  `${histories} histories give the same customers as the model (IMPORT_SEED=${seed})`,
  { timeout: 7_200_000 },
  async () => {
    process.stdout.write(`IMPORT_SEED=${seed}\n`);
    const random = new Random(seed);
    const steps: Record<string, number> = {};
    for (let done = 0; done < histories; done += together) {
      await database.query(
        'truncate public.customers, clientele.imports, clientele.gone_customers, clientele.changes',
      );
      await rm(folder.path('rejects.csv'), { force: true });
      const world = new World(4 * together);
      for (const step of generateSteps(random, together)) {
        expect(await world.perform(step)).toEqual([]);
        steps[step.kind] = (steps[step.kind] ?? 0) + 1;
      }
      if (histories >= 1_000) process.stdout.write(`${done + together} histories\n`);
    }
    process.stdout.write(`${histories} histories: ${JSON.stringify(steps)}\n`);
  },
);
