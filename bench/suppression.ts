/**
 * Compares imports into a directory from which people were erased with imports into one from which nobody was.
 *
 *   pnpm bench:suppression [--customers 100000] [--people 10000] [--rounds 5]
 *
 * Prints the results as Markdown to standard output, and progress to standard error.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createSecretFile,
  readSecretFile,
  suppressionHashes,
  suppressionKey,
} from '@clientele/server';
import { withClient } from '@clientele/sandbox';
import type pg from 'pg';
import { clienteleImport, oneCustomer, rowsPerSecond, withImportBench } from './import-speed.ts';
import { spread } from './statistics.ts';

const { values } = parseArgs({
  options: {
    customers: { type: 'string', default: '100000' },
    people: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
  },
});
const [customers, people, rounds] = [values.customers, values.people, values.rounds].map(
  Number,
) as [number, number, number];
const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);

interface Cost {
  rowsPerSecond: number;
  /** Of the import and of PostgreSQL: on a busy machine, a better measure than the speed. */
  cpuSeconds: number;
}

await withImportBench(customers, say, async ({ url, file, folder }) => {
  const secretFile = join(folder, 'secret');
  await createSecretFile(secretFile);
  const key = suppressionKey(await readSecretFile(secretFile));
  const postmaster = await withClient(url, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return (await readFile(join(rows[0]!.data_directory, 'postmaster.pid'), 'utf8')).split(
      '\n',
    )[0]!;
  });
  const measure = async (isFirst: boolean, suppressed: boolean): Promise<Cost> => {
    let cpuSeconds = 0;
    const prepare = async (owner: pg.Client): Promise<void> => {
      if (suppressed) await suppressSome(owner, key);
      if (!isFirst) await owner.query(oneCustomer);
    };
    const load = async (database: string): Promise<void> => {
      const before = await cpuOfChildren(postmaster);
      await clienteleImport(database, file, ['--quiet'], { CLIENTELE_SECRET_FILE: secretFile });
      cpuSeconds = (await cpuOfChildren(postmaster)) - before;
    };
    const expected = isFirst ? customers : customers + 1;
    return {
      rowsPerSecond: await rowsPerSecond(url, customers, load, prepare, expected),
      cpuSeconds,
    };
  };
  process.stdout.write(
    `| ${people} suppressed people ÷ none | Median | between |\n| --- | ---: | --- |\n`,
  );
  for (const isFirst of [true, false]) {
    const name = isFirst ? 'first import' : 'import into a directory with customers';
    const [speeds, times]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      // Whoever comes first changes every time.
      const order = round % 2 === 0 ? [true, false] : [false, true];
      const found = new Map<boolean, Cost>();
      for (const suppressed of order) found.set(suppressed, await measure(isFirst, suppressed));
      const [some, none] = [found.get(true)!, found.get(false)!];
      speeds.push(some.rowsPerSecond / none.rowsPerSecond);
      times.push(some.cpuSeconds / none.cpuSeconds);
      say(`${name}, round ${round + 1}: ${describe(some)}; without: ${describe(none)}`);
    }
    row(`${name}, rows/s`, speeds);
    row(`${name}, CPU time`, times);
  }
});

function describe({ rowsPerSecond: speed, cpuSeconds }: Cost): string {
  return `${speed.toFixed(0)} rows/s, ${cpuSeconds.toFixed(1)} s of CPU time`;
}

function row(name: string, ratios: number[]): void {
  const { median, least, most } = spread(ratios);
  process.stdout.write(
    `| ${name} | ${median.toFixed(3)} | ${least.toFixed(3)} and ${most.toFixed(3)} |\n`,
  );
}

/** Of processes that have ended: of this one, and of PostgreSQL. In seconds. */
async function cpuOfChildren(postmaster: string): Promise<number> {
  let ticks = 0;
  for (const process of ['self', postmaster]) {
    const stat = await readFile(`/proc/${process}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[13]) + Number(fields[14]);
  }
  return ticks / 100;
}

/** People who are not in the file: a record that is left out would be no work. */
async function suppressSome(owner: pg.Client, key: Buffer): Promise<void> {
  const uuids = Array.from({ length: people }, () => randomUUID());
  await owner.query('select clientele.erase_customers($1::jsonb)', [
    JSON.stringify(uuids.map((uuid) => ({ uuid, reason: 'bench' }))),
  ]);
  const hashes = uuids.map((uuid, i) => {
    const phone = `+49 1555 ${String(1_000_000 + i)}`;
    return { uuid, hashes: suppressionHashes(key, { uuid, email: `${uuid}@mail.example`, phone }) };
  });
  const all = hashes.flatMap((each) => each.hashes.map((hash) => ({ uuid: each.uuid, ...hash })));
  await owner.query(
    `select clientele.suppress(
       array(select e.id from unnest($1::uuid[]) with ordinality as u(uuid, n)
         join clientele.erasures as e on e.uuid = u.uuid order by u.n),
       $2::text[], $3::bytea[])`,
    [all.map(({ uuid }) => uuid), all.map(({ kind }) => kind), all.map(({ hash }) => hash)],
  );
  await owner.query(
    'vacuum analyze clientele.suppressions, clientele.erasures, clientele.gone_customers',
  );
}
