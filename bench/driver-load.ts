/** Alternates the drivers under the same load, round after round, and tells medians with spread. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { CustomersDatabase } from './customers-database.ts';
import type { Usage } from './driver-app.ts';
import { variants, type Variant } from './driver-lanes.ts';
import { findLoad } from './http-load.ts';

export interface MeasureOptions {
  rounds: number;
  seconds: number;
  /** HTTP connections that ask at once. */
  connections: number;
}

interface Route {
  paths: string[];
  /** Into how many slices a round is cut; drivers take turns slice by slice. */
  slices: number;
}

/** One driver on one route in one round. */
interface Sample {
  perSecond: number;
  /** Milliseconds, the mean of the slices. */
  p99: number;
  /** Microseconds of the application's processor time for each answer. */
  cpu: number;
}

interface App {
  process: ChildProcess;
  origin: string;
}

export async function measureDrivers(
  database: CustomersDatabase,
  { rounds, seconds, connections }: MeasureOptions,
  say: (line: string) => void,
): Promise<string> {
  const { name, load } = await findLoad();
  const apps = new Map<Variant, App>();
  const table: string[] = [];

  const slice = async (variant: Variant, paths: string[], duration: number) => {
    const { process, origin } = apps.get(variant)!;
    const { p99, failed } = await load({ origin, paths, connections, seconds: duration });
    if (failed > 0) throw new Error(`${variant} failed ${failed} requests`);
    return { p99, ...(await usage(process)) };
  };

  try {
    for (const variant of variants) apps.set(variant, await startApp(variant, database.url));
    for (const [route, { paths, slices }] of await findRoutes(database, seconds)) {
      await requireSameAnswers([...apps.values()], paths);
      for (const variant of variants) await slice(variant, paths, 2); // warm: plans, compiled code
      const samples = new Map(variants.map((variant) => [variant, [] as Sample[]]));
      for (let round = 0; round < rounds; round++) {
        const taken = new Map(variants.map((variant) => [variant, [] as Slice[]]));
        for (let turn = 0; turn < slices; turn++) {
          // Each goes first in turn, so that a drift of the machine favours none.
          for (const variant of rotate(variants, round + turn)) {
            taken.get(variant)!.push(await slice(variant, paths, seconds / slices));
          }
        }
        for (const [variant, parts] of taken) samples.get(variant)!.push(sum(parts));
        const rates = variants.map((variant) => samples.get(variant)!.at(-1)!.perSecond.toFixed(0));
        say(`${route}, round ${round + 1}: ${rates.join(', ')} requests/s`);
      }
      for (const [variant, own] of samples) {
        table.push(tableRow(route, variant, own, samples.get('pg')!));
      }
    }
  } finally {
    for (const { process } of apps.values()) process.disconnect();
  }
  return [
    `Load: ${name}, ${connections} connections; ${rounds} rounds, in each ${seconds} s for every driver.`,
    'Median (least – most) of the rounds; ratios are taken within a round.',
    '',
    '| Route | Driver | Requests/s | p99 ms | CPU µs/request | Requests/s against pg | CPU against pg |',
    '|---|---|---|---|---|---|---|',
    ...table,
    '',
  ].join('\n');
}

type Slice = Usage & { p99: number };

function sum(slices: Slice[]): Sample {
  const total = (figure: (slice: Slice) => number): number =>
    slices.reduce((result, part) => result + figure(part), 0);
  const answered = total((part) => part.answered);
  return {
    perSecond: (answered / total((part) => part.elapsed)) * 1_000,
    p99: total((part) => part.p99) / slices.length,
    cpu: total((part) => part.cpu) / answered,
  };
}

/** 500 different lookups; 200 different searches, by names that one customer has or a few. */
async function findRoutes(
  database: CustomersDatabase,
  seconds: number,
): Promise<Map<string, Route>> {
  const customers = await database.query<{ uuid: string; full_name: string }>(
    `select c.uuid, c.full_name from public.customers as c
     where c.full_name ~ '^[A-Za-z]{3,} [A-Za-z]{3,}$'
     order by c.uuid limit 500`,
  );
  const search = (name: string): string => `/v3/customers?search=${encodeURIComponent(name)}`;
  const searches = customers.slice(0, 200).map((customer) => search(customer.full_name));
  // A second holds many answers, but of the counted list not one for each connection.
  return new Map([
    ['lookup', { paths: customers.map(({ uuid }) => `/v3/customers/${uuid}`), slices: seconds }],
    ['page without total', { paths: ['/page-only'], slices: seconds }],
    ['list', { paths: ['/v3/customers'], slices: 1 }],
    ['search', { paths: searches, slices: seconds }],
  ]);
}

async function startApp(variant: Variant, url: string): Promise<App> {
  const file = new URL('driver-app.ts', import.meta.url);
  const child = fork(file, [variant], { env: { ...process.env, DATABASE_URL: url } });
  const [origin] = (await once(child, 'message')) as [string];
  return { process: child, origin };
}

/** Waits until the application has answered everything, and starts its count anew. */
async function usage(child: ChildProcess): Promise<Usage> {
  child.send('usage');
  const [answer] = (await once(child, 'message')) as [Usage];
  return answer;
}

/** A driver that answers something else is not faster. */
async function requireSameAnswers(apps: App[], paths: string[]): Promise<void> {
  for (const path of paths.slice(0, 50)) {
    const bodies = await Promise.all(
      apps.map(async ({ origin }) => {
        const response = await fetch(origin + path);
        return `${response.status} ${await response.text()}`;
      }),
    );
    if (new Set(bodies).size > 1 || !bodies[0]!.startsWith('200 {"data":')) {
      throw new Error(`The drivers disagree on ${path}`);
    }
  }
}

function tableRow(route: string, variant: Variant, own: Sample[], pg: Sample[]): string {
  const figures = (of: keyof Sample): number[] => own.map((sample) => sample[of]);
  const ratios = (of: keyof Sample): number[] =>
    own.map((sample, round) => sample[of] / pg[round]![of]);
  const cells = [
    route,
    variant,
    spread(figures('perSecond')),
    spread(figures('p99')),
    spread(figures('cpu')),
    variant === 'pg' ? '1' : spread(ratios('perSecond'), 2),
    variant === 'pg' ? '1' : spread(ratios('cpu'), 2),
  ];
  return `| ${cells.join(' | ')} |`;
}

function spread(figures: number[], digits = 0): string {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  const show = (figure: number): string => figure.toFixed(digits);
  return `${show(median)} (${show(sorted[0]!)} – ${show(sorted.at(-1)!)})`;
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
