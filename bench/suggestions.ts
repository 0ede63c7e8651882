/**
 * `pnpm bench:suggestions`: how often the right name is among the first suggestions for a misspelt one, and what that
 * costs. The names are those of customers drawn by the seed; misspellings that find somebody are left out, as nothing
 * is suggested for them.
 */
import { parseArgs } from 'node:util';
import type { WireCustomerList, WireSuggestions } from '@clientele/contract';
import { customerAt } from '@clientele/sandbox/generator';
import { startWithCustomers } from './customers-database.ts';
import { misspell, type Draw } from './misspell.ts';
import { startService, type Service } from './service.ts';
import { summarise } from './statistics.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    misspellings: { type: 'string', default: '500' },
  },
});
const customers = Number(values.customers);
const wanted = Number(values.misspellings);
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
say(`seed ${values.seed}`);

let state = Number(values.seed);
const draw: Draw = (below) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’]+/gu, '')
    .toLowerCase();

/** A word of somebody's name, and a misspelling of it. */
function drawMisspelling(): { name: string; wrong: string } | undefined {
  const { full_name: fullName } = customerAt(1, draw(customers));
  const names = fold(fullName)
    .split(/[^\p{L}]+/u)
    .filter((name) => /^[a-z]{4,}$/.test(name));
  if (names.length === 0) return undefined;
  const name = names[draw(names.length)]!;
  return { name, wrong: misspell(name, draw) };
}

const pathOf = (path: string, search: string): string =>
  `${path}?search=${encodeURIComponent(search)}`;

interface Result {
  /** The place of the right name among the suggestions; -1 if it is none of them. */
  place: number;
  /** Milliseconds of the first request, which counts, and of the third, for which everything is counted. */
  cold: number;
  warm: number;
  /** Of the list of the misspelt search, which is empty: what the machine and one round trip cost. */
  list: number;
}

async function measure(service: Service): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < wanted) {
    const { name, wrong } = drawMisspelling() ?? {};
    if (name === undefined || wrong === undefined || wrong.length < 3) continue;
    const found = await service.get(pathOf('/v3/customers', wrong));
    if ((JSON.parse(found.body) as WireCustomerList).pagination.total > 0) continue;
    const path = pathOf('/v3/customers/suggestions', wrong);
    const first = await service.get(path);
    // The first one stops counting after a second; the second counts the rest.
    await service.get(path);
    const { ms: warm } = await service.get(path);
    const { ms: list } = await service.get(pathOf('/v3/customers', wrong));
    const { data } = JSON.parse(first.body) as WireSuggestions;
    const place = data.findIndex(({ search }) => fold(search) === name);
    results.push({ place, cold: first.ms, warm, list });
  }
  return results;
}

/** Until the first suggestion, which is after the draw. */
async function waitForWords(service: Service): Promise<void> {
  const deadline = performance.now() + 300_000;
  const path = pathOf('/v3/customers/suggestions', 'shmidt');
  while ((JSON.parse((await service.get(path)).body) as WireSuggestions).data.length === 0) {
    if (performance.now() > deadline) throw new Error('no words after five minutes');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const database = await startWithCustomers(customers, say, { reuse: true });
try {
  const service = await startService(database.url, { CLIENTELE_WARM_UP: 'off' });
  try {
    await service.get('/v3/customers');
    const before = await service.memoryMb();
    const started = performance.now();
    await waitForWords(service);
    const drawn = (performance.now() - started) / 1_000;
    const memory = (await service.memoryMb()) - before;
    const results = await measure(service);
    const share = (most: number): string => {
      const right = results.filter(({ place }) => place >= 0 && place < most).length;
      return `${((100 * right) / results.length).toFixed(1)} %`;
    };
    const times = (of: 'cold' | 'warm' | 'list'): string => {
      const { p50, p99 } = summarise(results.map((result) => result[of]));
      return `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`;
    };
    process.stdout.write(
      `
| ${wanted} misspellings, ${customers} customers, seed ${values.seed} | |
| --- | ---: |
| right name first; among three; among five | ${share(1)}; ${share(3)}; ${share(5)} |
| suggestions whose counts are known, p50 and p99 | ${times('warm')} |
| the empty list of the same search, p50 and p99 | ${times('list')} |
| suggestions that have to be counted, p50 and p99 | ${times('cold')} |
| from the start of the service to the first suggestion | ${drawn.toFixed(1)} s |
| more memory of the process after the draw | ${memory.toFixed(0)} MB |
`.trimStart(),
    );
  } finally {
    await service.stop();
  }
} finally {
  await database.stop();
}
