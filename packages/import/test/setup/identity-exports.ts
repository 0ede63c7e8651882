/** Random exports of people whom several systems know under identifiers of their own. */
import { gzipSync } from 'node:zlib';
import { customerId } from '@clientele/sandbox/testing';
import { Random } from './histories.ts';

export interface Export {
  idColumn: string | undefined;
  encoding: string | undefined;
  content: Buffer;
  /** For messages. */
  text: string;
  rows: Row[];
}

/** Who is in a row, and under which identifier. */
export interface Row {
  person: string;
  id: string;
  email: string;
}

interface Person {
  key: string;
  first: string;
  last: string;
  email: string;
}

interface Source {
  idColumn: string | undefined;
  column: string;
  /** The identifier of each person. */
  ids: Map<string, string>;
}

const firstNames = ['Ada', 'Bob', 'Cem', 'Cem', 'Eva', 'Finn', 'Gül', 'Jörg'];
const lastNames = ['Abel', 'Brandt', 'Çelik', 'Dubois', 'Ek', 'Ferrari', 'Groß', 'Núñez García'];

/** Two with the same name, a family and two of one office: who shares an address has another first name. */
function makePeople(random: Random): Person[] {
  const people = firstNames.map((first, n) => ({
    key: `person-${n}`,
    first,
    last: random.pick(lastNames),
    email: `p${n}@mail.example`,
  }));
  people[3]!.last = people[2]!.last;
  Object.assign(people[5]!, { last: people[4]!.last, email: people[4]!.email });
  if (random.chance(0.5)) people[6]!.email = people[0]!.email;
  return people;
}

/** Numbers with leading zeros, codes in mixed case, or UUIDs; sometimes three people have the same number or code. */
function makeSource(random: Random, n: number, people: readonly Person[]): Source {
  const kind = random.pick(['number', 'number', 'code', 'uuid'] as const);
  const reuses = random.chance(0.25) && kind !== 'uuid';
  const ids = new Map<string, string>();
  for (const [i, { key }] of people.entries()) {
    const number = reuses && i > 5 ? 1 : i + 1;
    // Where one system says 1, another says 4.
    const own = ((number + 3 * n - 1) % people.length) + 1;
    if (kind === 'uuid') ids.set(key, customerId(100 * n + own));
    else ids.set(key, kind === 'code' ? `Kd-${own}x` : String(own).padStart(5, '0'));
  }
  // Without the name of the system, customer 17 of one is customer 17 of the other.
  const scope = random.chance(0.25) ? '' : `system${n}:`;
  if (kind === 'uuid') return { idColumn: undefined, column: 'uuid', ids };
  return { idColumn: `${scope}Number`, column: 'Number', ids };
}

/** What spreadsheets do to identifiers. */
const damages: ((id: string) => string)[] = [
  (id) => id,
  (id) => id,
  (id) => id.replace(/^0+(?=\d{1,4}$)/, ''),
  (id) => id.toUpperCase(),
];

export function generateExports(seed: number): Export[] {
  const random = new Random(seed);
  const people = makePeople(random);
  const sources = [0, 1].map((n) => makeSource(random, n, people));
  return Array.from({ length: 3 + random.below(3) }, (_, step) => {
    if (random.chance(0.33)) random.pick(people).last = `Renamed ${seed}`;
    if (random.chance(0.33)) random.pick(people).email = `new${step}@mail.example`;
    return makeExport(random, people, random.pick(sources));
  });
}

type Cells = (person: Person) => Record<string, string>;

/** The columns of names, in four shapes. */
const names: Cells[] = [
  ({ first, last }) => ({ Name: `${first} ${last}` }),
  ({ first, last }) => ({ 'First Name': first, 'Last Name': last }),
  ({ first, last }) => ({ Vorname: first, Name: last }),
  ({ first, last }) => ({ Name: `${last}, ${first}`, 'First Name': first, 'Last Name': last }),
];

/** Each in some files, written in one of several ways; some dates and amounts are rejected. */
function optionalColumns(random: Random): Cells[] {
  const date = random.pick(['2024-01-31', '31.01.2024', '1/31/2024', '1/3/2024']);
  const amount = random.pick(['12.50', '12,50 €', '']);
  const columns: Cells[] = [
    () => ({ Phone: random.pick(['+1 202 555 0100', '']) }),
    () => ({ Created: random.chance(0.5) ? '2024-01-31' : date }),
    () => ({ 'Total Spent': amount }),
    () => ({ Verified: random.pick(['yes', 'WAHR', '0']) }),
    () => ({ Note: 'x' }),
  ];
  return columns.filter(() => random.chance(0.5));
}

function makeExport(random: Random, people: readonly Person[], source: Source): Export {
  const damage = random.pick(damages);
  const byAddress = random.chance(0.25);
  const chosen = people.filter(() => random.chance(0.67));
  // A part of the people twice, some of them not damaged.
  const again = chosen.slice(0, random.below(3));
  const name = random.pick(names);
  const others = optionalColumns(random);
  const rows = [...chosen, ...again].map((person, i) => {
    const own = source.ids.get(person.key)!;
    const id = i < chosen.length ? damage(own) : own;
    return {
      ...{ person: person.key, email: person.email },
      id: byAddress ? person.email : source.column === 'uuid' ? id.toLowerCase() : id,
      cells: {
        ...(byAddress && source.column === 'uuid' ? {} : { [source.column]: id }),
        ...name(person),
        Email: random.chance(0.2) ? person.email.toUpperCase() : person.email,
        Company: person.key,
        ...Object.assign({}, ...others.map((each) => each(person))),
      } as Record<string, string>,
    };
  });
  const columns = Object.keys(rows[0]?.cells ?? {}).toSorted(() => random.next() - 0.5);
  const { text, content, encoding } = write(
    random,
    columns,
    rows.map(({ cells }) => cells),
  );
  const idColumn = byAddress ? 'Email' : source.idColumn;
  return { idColumn, encoding, text, content, rows };
}

function write(random: Random, columns: string[], rows: Record<string, string>[]) {
  const delimiter = random.pick([',', ';', '\t']);
  const quote = (cell: string): string => (/[,;]/.test(cell) ? `"${cell}"` : cell);
  const line = (cells: string[]): string => cells.map(quote).join(delimiter);
  const isCsv = random.chance(0.7);
  const lines = isCsv
    ? [line(columns), ...rows.map((row) => line(columns.map((column) => row[column]!)))]
    : rows.map((row) => JSON.stringify(Object.fromEntries(columns.map((c) => [c, row[c]]))));
  const text = `${lines.join('\n')}\n`;
  const encoding = isCsv ? random.pick(['utf8', 'utf8', 'utf16le', 'windows-1252']) : 'utf8';
  const isAscii = Buffer.byteLength(text) === text.length;
  // A file of ASCII is in UTF-8 too, and refused with another encoding.
  const isLatin = encoding === 'windows-1252' && !isAscii;
  const bytes =
    encoding === 'utf16le'
      ? Buffer.from(`\uFEFF${text}`, 'utf16le')
      : Buffer.from(text, isLatin ? 'latin1' : 'utf8');
  return {
    text,
    content: random.chance(0.25) ? gzipSync(bytes) : bytes,
    encoding: isLatin ? 'windows-1252' : undefined,
  };
}
