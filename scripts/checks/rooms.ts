/**
 * Which package and which room may import which. The linter (oxlint.config.ts) refuses other packages and modules,
 * ./imports.ts other rooms. A room is a folder of a package's `src`. Files next to the rooms are settings and small parts,
 * which every room may import and which import none, and the wiring, which may import every room and which none may.
 */

export interface Package {
  /** Packages of ours that it may import. */
  packages: string[];
  /** Modules that it must not import. */
  never?: string[];
  /** From the bottom up: each room, with the rooms below it that it may import. */
  rooms?: Record<string, string[]>;
  /** Rooms that are only some files of a folder, by path. */
  files?: Record<string, string[]>;
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
      tracing: [],
      db: ['tracing'],
      keys: ['db'],
      http: ['keys', 'db', 'tracing'],
      sessions: ['http', 'keys', 'db'],
      people: ['sessions', 'http', 'db'],
      audit: ['http', 'db'],
      erasure: ['audit', 'http', 'db'],
      retention: ['erasure'],
      subject: ['audit', 'erasure'],
      'customers/query': ['http', 'db'],
      'customers/maps': ['customers/query', 'db', 'tracing'],
      'customers/suggestions': ['customers/query', 'customers/maps', 'db', 'tracing'],
      customers: [
        'customers/query',
        'customers/maps',
        'customers/suggestions',
        'audit',
        'erasure',
        'http',
        'db',
      ],
      doctor: ['audit', 'erasure', 'db'],
      operations: ['audit', 'http', 'db', 'tracing'],
    },
    files: {
      // What a search means, and how requests for the same are made one.
      'customers/query': [
        'customers/filters.ts',
        'customers/match-condition.ts',
        'customers/phone-number.ts',
        'customers/request-coalescer.ts',
        'customers/search.ts',
        'customers/shared-work.ts',
        'customers/sort.ts',
        'customers/to-wire.ts',
        'customers/view.ts',
      ],
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

/** Imports that some files may or may not make, unlike the rest of their package. */
export const exceptions: { files: string; never: string[] }[] = [
  // Rooms without HTTP.
  ...['db', 'keys', 'doctor', 'customers/maps'].map((room) => ({
    files: `packages/server/src/${room}/**`,
    never: [...neverImported('server'), 'fastify'],
  })),
  // The wire types import nothing at all.
  { files: 'packages/contract/src/index.ts', never: ['*'] },
  {
    files: 'packages/client/src/wire.ts',
    never: [...otherPackages(['contract']), 'node:*', 'react', '@tanstack/*'],
  },
  { files: 'packages/client/src/react/**', never: [...otherPackages([]), 'node:*'] },
  // The search rule knows nothing of the console.
  { files: 'packages/console/src/search/**', never: [...otherPackages([]), 'node:*'] },
];

/** What the files of a package must not import. */
export function neverImported(name: string): string[] {
  const { packages: allowed, never = [] } = packages[name]!;
  return [...otherPackages(allowed), ...never];
}

function otherPackages(allowed: string[]): string[] {
  const others = new Set(['cli', 'client', 'console', 'contract', 'import', 'sandbox', 'server']);
  for (const name of allowed) others.delete(name);
  return [...others].flatMap((name) => [`@clientele/${name}`, `@clientele/${name}/*`]);
}
