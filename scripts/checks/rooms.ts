/**
 * Which room may import which: the linter (oxlint.config.ts) refuses every other import. A room is a folder of a package's
 * `src`; files next to the rooms are settings and small helpers, which every room may import, and the wiring, which none may.
 */

export interface Package {
  /** Packages of ours that it may import. */
  packages: string[];
  /** Modules that it must not import. */
  never?: string[];
  /** Each room, with the rooms that it may import. */
  rooms?: Record<string, string[]>;
  /** Files that no room may import. */
  wiring?: string[];
}

/** From the bottom up: contract ← server ← import, sandbox ← cli, and contract ← client ← console. */
export const packages: Record<string, Package> = {
  contract: { packages: [], never: ['node:*'] },
  server: {
    packages: ['contract'],
    wiring: ['app.ts', 'start.ts', 'serve.ts', 'index.ts'],
    rooms: {
      tracing: ['db'],
      db: ['tracing'],
      keys: ['db'],
      http: ['keys', 'db', 'tracing'],
      sessions: ['http', 'keys', 'db'],
      people: ['sessions', 'http', 'db'],
      audit: ['customers', 'http', 'db'],
      erasure: ['audit', 'http', 'db'],
      retention: ['erasure'],
      subject: ['audit', 'erasure'],
      'customers/maps': ['customers', 'db', 'tracing'],
      'customers/suggestions': ['customers', 'customers/maps', 'db', 'tracing'],
      customers: ['customers/maps', 'customers/suggestions', 'audit', 'erasure', 'http', 'db'],
      doctor: ['audit', 'erasure', 'db'],
      operations: ['audit', 'http', 'db', 'tracing'],
    },
  },
  // The terminal belongs to the CLI.
  import: {
    packages: ['contract', 'server'],
    never: ['commander', 'fastify', 'node:readline', 'node:readline/*'],
  },
  sandbox: { packages: ['contract', 'server'], never: ['commander'] },
  // It has the console as files.
  cli: {
    packages: ['contract', 'server', 'import', 'sandbox'],
    never: ['@clientele/sandbox/testing', '@clientele/sandbox/testing/*'],
  },
  // The client runs anywhere; only its hooks know React, and only wire.ts the contract.
  client: {
    packages: [],
    never: ['node:*', 'react', 'react-dom', '@tanstack/*'],
  },
  console: {
    packages: ['client', 'contract'],
    never: ['node:*'],
    wiring: ['app.tsx', 'main.tsx'],
    rooms: {
      text: [],
      search: [],
      ui: ['text'],
      session: ['ui', 'text'],
      customers: ['search', 'session', 'ui', 'text'],
    },
  },
};

/** Rooms without HTTP. */
const withoutHttp = new Set(['db', 'keys', 'doctor', 'customers/maps']);

/** Imports that some files may or may not make, unlike the rest of their package. */
export const exceptions: { files: string; never: string[] }[] = [
  // The wire types import nothing at all.
  { files: 'packages/contract/src/index.ts', never: ['*'] },
  {
    files: 'packages/client/src/wire.ts',
    never: [...otherPackages(['contract']), 'node:*', 'react', '@tanstack/*'],
  },
  { files: 'packages/client/src/react/**', never: [...otherPackages([]), 'node:*'] },
  // The search rule knows nothing of the console.
  {
    files: 'packages/console/src/search/**',
    never: [...neverImported('console', 'search'), ...otherPackages([])],
  },
];

/** What the files of a package, or of one of its rooms, must not import. */
export function neverImported(name: string, room?: string): string[] {
  const { packages: allowed, never = [], rooms = {}, wiring = [] } = packages[name]!;
  const outside = [...otherPackages(allowed), ...never];
  if (room === undefined) return outside;
  const open = new Set([room, ...rooms[room]!]);
  const closed = Object.keys(rooms).filter((other) => !open.has(other));
  return [
    ...outside,
    ...closed.map((other) => `**/${other.split('/').at(-1)!}/**`),
    ...wiring.map((file) => `**/${file}`),
    ...(name === 'server' && withoutHttp.has(room) ? ['fastify'] : []),
    // Page maps know what a search means, but no caller.
    ...(room === 'customers/maps' ? ['../list*', '../lookup*', '../routes*', '../export*'] : []),
  ];
}

function otherPackages(allowed: string[]): string[] {
  const others = new Set(['cli', 'client', 'console', 'contract', 'import', 'sandbox', 'server']);
  for (const name of allowed) others.delete(name);
  return [...others].flatMap((name) => [`@clientele/${name}`, `@clientele/${name}/*`]);
}
