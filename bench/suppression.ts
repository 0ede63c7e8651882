/**
 * Compares imports into a directory from which people were erased with imports into one from which nobody was.
 *
 *   pnpm bench:suppression [--customers 100000] [--people 10000] [--rounds 5]
 *
 * Prints the results as Markdown to standard output, and progress to standard error.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createSecretFile,
  readSecretFile,
  suppressionHashes,
  suppressionKey,
  Suppressions,
} from '@clientele/directory';
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

await withImportBench(customers, say, async ({ url, file, folder }) => {
  const secretFile = join(folder, 'secret');
  await createSecretFile(secretFile);
  const key = suppressionKey(await readSecretFile(secretFile));
  const ours = async (database: string): Promise<void> => {
    await clienteleImport(database, file, ['--quiet'], { CLIENTELE_SECRET_FILE: secretFile });
  };
  const microseconds: number[] = [];
  const speed = (isFirst: boolean, suppressed: boolean): Promise<number> => {
    const prepare = async (owner: pg.Client): Promise<void> => {
      if (suppressed) {
        await suppressSome(owner, key);
        microseconds.push(await comparing(owner, secretFile));
      }
      if (!isFirst) await owner.query(oneCustomer);
    };
    return rowsPerSecond(url, customers, ours, prepare, isFirst ? customers : customers + 1);
  };
  const kinds = ['first import', 'import into a directory with customers'];
  const ratios = kinds.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, kind] of kinds.entries()) {
      // Whoever comes first changes every time.
      const order = round % 2 === 0 ? [true, false] : [false, true];
      const found = new Map<boolean, number>();
      for (const suppressed of order) found.set(suppressed, await speed(i === 0, suppressed));
      ratios[i]!.push(found.get(true)! / found.get(false)!);
      const shown = [found.get(true)!, found.get(false)!].map((each) => each.toFixed(0));
      say(`${kind}, round ${round + 1}: ${shown[0]} rows/s, without ${shown[1]}`);
    }
  }
  process.stdout.write(
    `| ${people} suppressed people ÷ none | Median | between |\n| --- | ---: | --- |\n`,
  );
  for (const [i, kind] of kinds.entries()) {
    const { median, least, most } = spread(ratios[i]!);
    process.stdout.write(
      `| ${kind}, rows/s | ${median.toFixed(3)} | ${least.toFixed(3)} and ${most.toFixed(3)} |\n`,
    );
  }
  process.stdout.write(`\nComparing a record: ${Math.min(...microseconds).toFixed(1)} µs.\n`);
});

/** Microseconds to compare one record, in memory. The least of several rounds: others use the machine too. */
async function comparing(owner: pg.Client, secretFile: string): Promise<number> {
  const suppressions = await Suppressions.open(owner, secretFile);
  const contacts = Array.from({ length: 20_000 }, (_, position) => ({
    position,
    uuid: randomUUID(),
    email: `person.${position}@mail.example`,
    phone: `+1 202-555-${String(position).padStart(5, '0')}`,
  }));
  const times = Array.from({ length: 25 }, () => {
    const started = performance.now();
    suppressions.screen(contacts);
    return performance.now() - started;
  });
  return (1_000 * Math.min(...times)) / contacts.length;
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
