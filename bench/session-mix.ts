/** What people at a customer directory request: a made-up but repeatable sequence per person. */
import type { CustomersDatabase } from './customers-database.ts';
import { list, searchPath, totalOf } from './list-requests.ts';

/** A request, and the time that the person takes before it. */
export interface Step {
  path: string;
  pauseMs: number;
  /** What has to be counted before the answer; undefined for lookups. */
  counted: string | undefined;
}

/** Gets the response to each step and returns the next one. */
export type Session = Generator<Step, void, string>;

/** Full names and single names, most frequently searched first. */
export async function searchedTexts(
  database: CustomersDatabase,
  customers: number,
): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select lower(full_name) as name from customers tablesample system ($1) repeatable (1)
     where full_name ~ '^[A-Za-z]+ [A-Za-z]+$' limit 1000`,
    [Math.min(100, 500_000 / customers)],
  );
  const texts = rows.flatMap(({ name }, i) =>
    i % 3 === 0 ? [name] : name.split(' ').slice((i % 3) - 1, i % 3),
  );
  return [...new Set(texts)];
}

/** Numbers from 0 to 1, the same ones for the same seed. */
export function* randomNumbers(seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ;) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Zipf's law: the second text is searched half as much as the first, the third a third, and so on. */
function zipf(count: number): (share: number) => number {
  const sums: number[] = [];
  for (let i = 0; i < count; i += 1) sums.push((sums[i - 1] ?? 0) + 1 / (i + 1));
  const total = sums.at(-1)!;
  return (share) => sums.findIndex((sum) => sum >= share * total);
}

/** One person: mostly searches as they type, sometimes leafs through the list. Never ends. */
export function* person(texts: string[], seed: number): Session {
  const numbers = randomNumbers(seed);
  const draw = (): number => numbers.next().value;
  const pause = (mean: number): number => -Math.log(1 - draw()) * mean;
  const rank = zipf(texts.length);
  for (;;) {
    const search = draw() < 0.75 ? texts[rank(draw())]! : '';
    let body = '';
    // Each third character or so is typed before the console sends the next request.
    for (let typed = 1; typed < search.length; typed += 1 + Math.floor(draw() * 3)) {
      body = yield step(search.slice(0, typed).trimEnd(), 1, pause(200));
    }
    body = yield step(search, 1, pause(200));
    const pages = Math.ceil(totalOf(body) / 25);
    const last = Math.min(pages, 2 + Math.floor(draw() * 3));
    for (let page = 2; page <= last; page += 1) body = yield step(search, page, pause(500));
    // Sometimes far away: the last page, or any.
    if (pages > 4 && draw() < 0.3) {
      body = yield step(search, draw() < 0.3 ? pages : 1 + Math.floor(draw() * pages), pause(500));
    }
    const ids = [...body.matchAll(/"uuid":"([0-9a-f-]{36})"/g)].map(([, id]) => id!);
    for (let i = Math.floor(draw() * 3); i > 0 && ids.length > 0; i -= 1) {
      const id = ids[Math.floor(draw() * ids.length)]!;
      yield { path: `${list}/${id}`, pauseMs: pause(500), counted: undefined };
    }
  }
}

const step = (search: string, page: number, pauseMs: number): Step => ({
  path: search === '' ? `${list}?page=${page}` : searchPath(search, page),
  pauseMs,
  counted: search,
});
