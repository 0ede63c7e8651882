/** Generates what may happen to a directory: files, feeds, interruptions, deletions. */
import { customerId } from '@clientele/sandbox/testing';
import { lastDay, type Fields, type ModelRecord } from './directory-model.ts';

export interface Line {
  customer: number;
  /** Returns the record. In a feed, one without a time gets that of its arrival. */
  record: () => ModelRecord;
}

export interface Run {
  lines: Line[];
  /** CSV or NDJSON for a file, NDJSON for a feed. */
  content: string;
  batchSize: number;
  /** Interrupted after this many records, and started again. */
  interruptedAfter: number | undefined;
  /** The time of records without one. */
  asOf: number | undefined;
}

export type Step =
  | { kind: 'import' | 'sync'; runs: Run[]; meanwhile: Step | undefined }
  | { kind: 'both'; file: Run; feed: Run }
  | { kind: 'replace'; runs: Run[] }
  | { kind: 'truncate' }
  | { kind: 'erase' | 'delete by SQL'; customers: number[] };

/** Mulberry32: the same numbers for the same seed. */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
  chance(share: number): boolean {
    return this.next() < share;
  }
}

export const dayText = (day: number): string => `2020-01-0${day}T00:00:00.000Z`;

/** Steps for `histories` histories of four customers each, which share files and batches. */
export function generateSteps(random: Random, histories: number): Step[] {
  const customers = Array.from({ length: 4 * histories }, (_, i) => i);
  const step = (depth = 0): Step => {
    const kind = random.pick(
      depth === 0
        ? ([
            'import',
            'import',
            'sync',
            'sync',
            'both',
            'replace',
            'truncate',
            'erase',
            'delete by SQL',
          ] as const)
        : (['sync', 'truncate', 'delete by SQL'] as const),
    );
    switch (kind) {
      case 'import':
      case 'sync': {
        const make = (): Run =>
          kind === 'import'
            ? fileRun(random, customers, someDay(random))
            : feedRun(random, customers);
        const runs = Array.from({ length: 1 + random.below(2) }, make);
        // While an interrupted run waits to be resumed.
        const meanwhile = depth === 0 && random.chance(0.5) ? step(1) : undefined;
        return { kind, runs, meanwhile };
      }
      case 'both':
        return {
          kind,
          file: fileRun(random, customers, someDay(random)),
          feed: feedRun(random, customers),
        };
      case 'replace': {
        const asOf = someDay(random);
        const make = (): Run => fileRun(random, customers, asOf);
        return { kind, runs: Array.from({ length: 1 + random.below(2) }, make) };
      }
      case 'truncate':
        return { kind };
      default:
        return { kind, customers: customers.filter(() => random.chance(0.1)) };
    }
  };
  return Array.from({ length: 3 + random.below(4) }, () => step());
}

const optional = ['phone', 'company', 'orders', 'time'] as const;
type Optional = (typeof optional)[number];
const columnNames = {
  phone: 'phone_number',
  company: 'company_name',
  orders: 'total_orders',
  time: 'updated_at',
};

function run(random: Random, lines: Line[], content: string): Run {
  return {
    lines,
    content,
    batchSize: Math.ceil(random.pick([0.03, 0.07, 0.2, 0.5, 2]) * lines.length),
    interruptedAfter: random.chance(0.4) ? random.below(lines.length) : undefined,
    asOf: undefined,
  };
}

const someDay = (random: Random): number | undefined =>
  random.chance(0.3) ? 1 + random.below(lastDay) : undefined;

/** Of a file, either all records have a field, as in CSV, or each record has its own. */
function fileRun(random: Random, customers: number[], asOf: number | undefined): Run {
  const isCsv = random.chance(0.5);
  const columns = optional.filter(() => random.chance(0.5));
  const given = (): readonly Optional[] =>
    isCsv ? columns : optional.filter(() => random.chance(0.5));
  const made = someCustomers(random, customers).map((customer) => {
    const some = given();
    const day = some.includes('time') && random.chance(0.8) ? 1 + random.below(lastDay) : null;
    const record = {
      op: 'upsert',
      fields: fields(random, some),
      time: day ?? asOf ?? null,
    } as const;
    const cells = recordCells(customer, record.fields, some, day);
    return { line: { customer, record: () => record }, cells };
  });
  const header = Object.keys(made[0]!.cells).join(',');
  const content = isCsv
    ? [
        header,
        ...made.map(({ cells }) =>
          Object.values(cells)
            .map((cell) => cell ?? '')
            .join(','),
        ),
      ]
    : made.map(({ cells }) => JSON.stringify(cells));
  return {
    ...run(
      random,
      made.map(({ line }) => line),
      `${content.join('\n')}\n`,
    ),
    asOf,
  };
}

function feedRun(random: Random, customers: number[]): Run {
  const made = someCustomers(random, customers).map((customer) => {
    const day = random.chance(0.7) ? 1 + random.below(lastDay) : null;
    const time = (): number => day ?? arrival();
    const updated = day === null ? {} : { updated_at: dayText(day) };
    const kind = random.next();
    const op = kind > 0.98 ? 'erase' : kind > 0.6 ? 'delete' : 'upsert';
    const some = optional.filter((each) => each !== 'time' && random.chance(0.5));
    const given = fields(random, some);
    const record = (): ModelRecord =>
      op === 'upsert' ? { op, fields: given, time: time() } : { op, time: time() };
    const cells = op === 'upsert' ? recordCells(customer, given, some, null) : { op };
    return { customer, record, json: { ...cells, ...updated } };
  });
  const content = made.map(({ customer, json }) =>
    JSON.stringify({ uuid: customerId(customer), ...json }),
  );
  return run(random, made, `${content.join('\n')}\n`);
}

let arrivals = lastDay;
/** Later than all days, and than all arrivals before. */
const arrival = (): number => (arrivals += 1);

/** About one record for each customer, several for some, often directly after each other. */
function someCustomers(random: Random, customers: number[]): number[] {
  let last = random.pick(customers);
  return customers.map(() => {
    if (!random.chance(0.4)) last = random.pick(customers);
    return last;
  });
}

function fields(random: Random, given: readonly Optional[]): Fields {
  const some: Fields = { name: random.pick(['A', 'B', 'C', 'D']) };
  if (given.includes('phone')) some.phone = random.pick(['1', '2', null]);
  if (given.includes('company')) some.company = random.pick(['X', 'Y', null]);
  if (given.includes('orders')) some.orders = random.below(3);
  return some;
}

function recordCells(
  customer: number,
  values: Fields,
  given: readonly Optional[],
  day: number | null,
): Record<string, string | number | null> {
  const time = day === null ? null : dayText(day);
  const cells = given.map((each) => [
    columnNames[each],
    each === 'time' ? time : (values[each] ?? null),
  ]);
  return {
    uuid: customerId(customer),
    full_name: values.name,
    email_address: 'x@mail.example',
    ...Object.fromEntries(cells),
  };
}
