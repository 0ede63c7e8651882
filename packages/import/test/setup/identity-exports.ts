/** Random exports of people whom several systems know under identifiers of their own. */
import { Random } from './histories.ts';

export interface Export {
  idColumn: string;
  format: 'csv' | 'ndjson';
  content: string;
  /** Who is in it and can be imported. */
  people: string[];
}

interface Person {
  key: string;
  name: string;
  email: string;
}

interface Source {
  scope: string;
  /** The identifier of each person. */
  ids: Map<string, string>;
}

const firstNames = ['Ada', 'Bob', 'Cem', 'Dora', 'Eva', 'Finn', 'Gül', 'Hans', 'Ines', 'Jörg'];
const lastNames = ['Abel', 'Brandt', 'Çelik', 'Dubois', 'Ek', 'Ferrari', 'Groß', 'Núñez'];

function makePeople(random: Random): Person[] {
  return Array.from({ length: 8 }, (_, n) => ({
    key: `person-${n}`,
    name: `${firstNames[n]!} ${lastNames[random.below(lastNames.length)]!} ${n}`,
    email: `p${n}@mail.example`,
  }));
}

/** Numbers with leading zeros, or codes in mixed case; sometimes two people have the same. */
function makeSource(random: Random, n: number, people: readonly Person[]): Source {
  const coded = random.below(3) === 0;
  const reuses = random.below(4) === 0;
  const ids = new Map<string, string>();
  for (const [i, { key }] of people.entries()) {
    const number = reuses && i > 5 ? 1 : i + 1;
    ids.set(key, coded ? `Kd-${number}x` : String(number).padStart(5, '0'));
  }
  // Without the name of the system, customer 17 of one is customer 17 of the other.
  const scope = random.below(4) === 0 ? '' : `system${n}:`;
  return { scope, ids };
}

type Damage = (id: string) => string;
const damages: Damage[] = [
  (id) => id,
  (id) => id,
  (id) => id.replace(/^0+/, ''),
  (id) => id.toUpperCase(),
];

export function generateExports(seed: number): Export[] {
  const random = new Random(seed);
  const people = makePeople(random);
  const sources = [0, 1].map((n) => makeSource(random, n, people));
  return Array.from({ length: 3 + random.below(3) }, () => {
    const renamed = people[random.below(people.length)]!;
    if (random.below(3) === 0) renamed.name = `${renamed.name.split(' ')[0]} Renamed ${seed}`;
    return makeExport(random, people, sources[random.below(2)]!);
  });
}

function makeExport(random: Random, people: readonly Person[], source: Source): Export {
  const damage = damages[random.below(damages.length)]!;
  const chosen = people.filter(() => random.below(3) > 0);
  const byAddress = random.below(6) === 0;
  const rows = chosen.map(({ key, name, email }) => ({
    Number: damage(source.ids.get(key)!),
    Name: name,
    Email: email,
    Company: key,
    ...(random.below(2) === 0 ? { Phone: '+1 202 555 0100' } : { Phone: '' }),
  }));
  // A part of the rows twice, some of them not damaged.
  for (const row of rows.slice(0, random.below(3))) {
    rows.push({ ...row, Number: source.ids.get(row.Company)! });
  }
  const columns = ['Number', 'Name', 'Email', 'Company', 'Phone'] as const;
  const kept = random.below(2) === 0 ? columns : columns.slice(0, 4);
  const format = random.below(3) === 0 ? 'ndjson' : 'csv';
  const lines =
    format === 'csv'
      ? [kept.join(','), ...rows.map((row) => kept.map((column) => row[column]).join(','))]
      : rows.map((row) => JSON.stringify(Object.fromEntries(kept.map((c) => [c, row[c]]))));
  return {
    idColumn: byAddress ? 'Email' : `${source.scope}Number`,
    format,
    content: `${lines.join('\n')}\n`,
    people: chosen.map(({ key }) => key),
  };
}
