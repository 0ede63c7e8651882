/**
 * Random histories of exports from several systems, some of them damaged: every merge and every duplicate was announced
 * before it was written. `IDENTITY_HISTORIES=5000` tries more of them.
 */
import { writeFile } from 'node:fs/promises';
import { acceptable, type Acceptable } from '@clientele/import';
import { setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { examineHere, type Examined } from './setup/examine-here.ts';
import { generateExports, type Export, type Row } from './setup/identity-exports.ts';
import { importHere } from './setup/import-here.ts';

const histories = Number(process.env['IDENTITY_HISTORIES'] ?? 10);
/** In 4756, the record that would have changed a customer was rejected, and a duplicate remained. */
const difficult = [4756];
const seeds = [...difficult, ...Array.from({ length: histories }, (_, i) => i + 1)];

const { database, folder } = setUpDatabaseAndFolder();

const everything: ReadonlySet<Acceptable> = new Set(Object.keys(acceptable) as Acceptable[]);

/** How many merges or duplicates were announced. */
function countIn({ warnings, refused = '' }: Examined, pattern: RegExp): number {
  const found = [...warnings, ...refused.split('\n')].filter((line) => pattern.test(line));
  return found.reduce((sum, line) => sum + Number(/\d+/.exec(line)), 0);
}

interface Customer {
  uuid: string;
  person: string;
  email: string;
}

/** The model keeps who somebody really is in the field company_name, which identity never depends on. */
const customers = () =>
  database.query<Customer>(
    'select uuid, company_name as person, lower(email_address) as email from customers',
  );

const groupsOf = <Item>(items: readonly Item[], key: (item: Item) => string): Item[][] => [
  ...Map.groupBy(items, key).values(),
];

/** The rows of each identifier that several people of a file have. */
const shared = ({ rows }: Export): Row[][] =>
  groupsOf(rows, ({ id }) => id).filter(
    (group) => new Set(group.map(({ person }) => person)).size > 1,
  );

/** Customers who have become somebody else, who shares the identifier with nobody in the file. */
function changed(file: Export, before: readonly Customer[], after: readonly Customer[]): number {
  const was = new Map(before.map(({ uuid, person }) => [uuid, person]));
  const merged = new Set(shared(file).flatMap((group) => group.map(({ person }) => person)));
  return after.filter(
    ({ uuid, person }) => !merged.has(person) && (was.get(uuid) ?? person) !== person,
  ).length;
}

/**
 * Customers that the people whom they are about did not need. Who got a new address and a new identifier is somebody
 * new as far as anybody can know.
 */
function doubled({ rows }: Export, before: readonly Customer[], after: readonly Customer[]) {
  const known = new Set(before.map(({ uuid }) => uuid));
  return groupsOf(after, ({ person }) => person).reduce((sum, mine) => {
    const added = mine.filter(({ uuid }) => !known.has(uuid)).length;
    const kept = new Set(mine.filter(({ uuid }) => known.has(uuid)).map(({ uuid }) => uuid));
    const { email } = rows.find(({ person }) => person === mine[0]!.person) ?? { email: '' };
    const recognisable = before.some((each) => kept.has(each.uuid) && each.email === email);
    return sum + (recognisable ? added : Math.max(0, added - 1));
  }, 0);
}

test(
  `${histories} histories: every merge or duplicate was announced`,
  async () => {
    let [merges, duplicates] = [0, 0];
    for (const seed of seeds) {
      await database.query('truncate customers, clientele.imports');
      for (const [step, written] of generateExports(seed).entries()) {
        if (written.rows.length === 0) continue;
        const path = folder.path('export');
        await writeFile(path, written.content);
        const { idColumn, encoding } = written;
        const accept: ReadonlySet<Acceptable> = new Set(['unscoped-ids', 'currencies']);
        const announced = await examineHere(database.url, [path], { idColumn, encoding, accept });
        const before = await customers();
        const { rejected } = await importHere(database.url, path, {
          ...{ idColumn, encoding, accept: everything },
          batchSize: 4,
          rejects: folder.path('rejected'),
        });
        const after = await customers();
        const repeated = countIn(announced, /different people/);
        const found = {
          shared: shared(written).length,
          changed: changed(written, before, after),
          doubled: doubled(written, before, after),
        };
        const said = JSON.stringify(announced.warnings.concat(announced.refused ?? ''), null, 1);
        const what = `seed ${seed}, step ${step}: ${JSON.stringify(found)}\n${idColumn}\n${written.text}${said}`;
        expect(repeated, what).toBeGreaterThanOrEqual(found.shared);
        const others = countIn(announced, /somebody else/);
        expect(others, what).toBeGreaterThanOrEqual(found.changed);
        const twice =
          /under other identifiers|under another identifier|address of|leading zeros|several identifiers/;
        expect(countIn(announced, twice), what).toBeGreaterThanOrEqual(found.doubled);
        const there = new Set(after.map(({ person }) => person));
        const people = new Set(written.rows.map(({ person }) => person));
        const lost = [...people].filter((person) => !there.has(person)).length;
        if (repeated + others === 0) expect(lost, what).toBeLessThanOrEqual(rejected);
        merges += found.shared + found.changed;
        duplicates += found.doubled;
      }
    }
    // Otherwise the histories show nothing.
    expect(merges).toBeGreaterThan(histories / 10);
    expect(duplicates).toBeGreaterThan(histories / 10);
  },
  600_000 + histories * 10_000,
);
