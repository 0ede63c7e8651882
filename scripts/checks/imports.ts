/**
 * Checks the imports between our own files, also those of types alone: none leads back to where it started, and each
 * leads from a room to one that the table (./rooms.ts) allows. Part of `pnpm lint`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packages, type Package } from './rooms.ts';

/** Each file of a folder, by its path in it, with the files there that it imports. */
export type Imports = Map<string, string[]>;

const imported =
  /(?:^|\n)(?:import|export)\b[^;'"]*?(?:\bfrom\s*)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/g;

export function readImports(folder: string): Imports {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .toSorted();
  return new Map(
    paths.map((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const found = [...text.matchAll(imported)].map((match) =>
        normalize(join(dirname(path), (match[1] ?? match[2])!)),
      );
      return [path, [...new Set(found)].filter((to) => /\.tsx?$/.test(to))];
    }),
  );
}

/** The files that can be reached from themselves, each group as one fault. */
export function circles(imports: Imports): string[] {
  const reached = new Map([...imports.keys()].map((file) => [file, reachable(imports, file)]));
  const groups = new Set<string>();
  for (const [file, others] of reached) {
    if (!others.has(file)) continue;
    const group = [...others].filter((other) => reached.get(other)?.has(file));
    groups.add(group.toSorted().join(' ↔ '));
  }
  return [...groups].toSorted();
}

function reachable(imports: Imports, from: string): Set<string> {
  const found = new Set<string>();
  const waiting = [...(imports.get(from) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    waiting.push(...(imports.get(next) ?? []));
  }
  return found;
}

/** The imports from a room to one that the table does not allow, and the mistakes of the table itself. */
export function wrongWays(
  imports: Imports,
  { rooms = {}, doors = {}, wiring = [] }: Package,
): string[] {
  const order = Object.keys(rooms);
  const upwards = order.flatMap((room, floor) =>
    rooms[room]!.filter((other) => !order.slice(0, floor).includes(other)).map(
      (other) => `the table has ${other} not below ${room}, which may import it`,
    ),
  );
  // The deepest folder.
  const byDepth = order.toSorted((a, b) => b.length - a.length);
  const roomOf = (file: string): string | undefined =>
    byDepth.find((room) => file.startsWith(`${room}/`));
  const mayImport = (file: string, to: string): boolean => {
    if (wiring.includes(file)) return true;
    if (wiring.includes(to)) return false;
    const [from, room] = [roomOf(file), roomOf(to)];
    if (room === undefined || room === from) return true;
    const isOpen = Object.entries(doors).every(
      ([folder, door]) =>
        to === door || !to.startsWith(`${folder}/`) || file.startsWith(`${folder}/`),
    );
    return isOpen && from !== undefined && rooms[from]!.includes(room);
  };
  const wrong = [...imports].flatMap(([file, others]) =>
    others.filter((to) => !mayImport(file, to)).map((to) => `${file} imports ${to}`),
  );
  return [...upwards, ...wrong];
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../packages', import.meta.url));
  const faults = Object.entries(packages).flatMap(([name, rules]) => {
    const imports = readImports(join(root, name, 'src'));
    return [
      ...circles(imports).map((circle) => `packages/${name}/src: a circle: ${circle}`),
      ...wrongWays(imports, rules).map((fault) => `packages/${name}/src: ${fault}`),
    ];
  });
  for (const fault of faults) process.stderr.write(`${fault} (scripts/checks/rooms.ts)\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
