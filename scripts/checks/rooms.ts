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
  /** The only file that others may import of a folder with rooms. */
  doors?: Record<string, string>;
  /** Files that no room may import. */
  wiring?: string[];
}

/** From the bottom up: contract ← directory ← server, import, sandbox ← cli, and contract ← client ← console. */
export const packages: Record<string, Package> = {
  contract: { packages: [], never: ['node:*'] },
  directory: {
    packages: ['contract'],
    never: ['fastify', 'prom-client', 'node:http', 'node:https'],
    wiring: ['index.ts'],
    rooms: {
      memory: [],
      settings: [],
      tracing: [],
      db: ['settings', 'tracing'],
      query: ['db', 'memory'],
      access: ['db'],
      audit: ['db', 'memory', 'settings'],
      'privacy/erasure': ['audit', 'db', 'settings'],
      'privacy/retention': ['privacy/erasure'],
      'privacy/subject': ['privacy/erasure', 'audit'],
      doctor: ['privacy/erasure', 'audit', 'db', 'settings'],
    },
  },
  server: {
    packages: ['contract', 'directory'],
    wiring: ['app.ts', 'start.ts', 'index.ts'],
    rooms: {
      settings: [],
      tracing: ['settings'],
      http: ['settings'],
      access: ['http', 'settings'],
      privacy: ['http'],
      responses: [],
      'maps/shape': ['responses'],
      'maps/state': ['maps/shape', 'responses'],
      'maps/count': ['maps/state', 'maps/shape', 'responses'],
      maps: ['maps/count', 'maps/state', 'maps/shape', 'responses'],
      'customers/suggestions': [],
      customers: ['customers/suggestions', 'maps', 'responses', 'privacy', 'access', 'http'],
      operations: ['privacy', 'access', 'http', 'tracing', 'settings'],
    },
    doors: { maps: 'maps/page-maps.ts' },
  },
  // The terminal belongs to the CLI.
  import: {
    packages: ['contract', 'directory'],
    never: ['commander', 'fastify', 'node:readline', 'node:readline/*'],
  },
  sandbox: { packages: ['contract', 'directory'], never: ['commander'] },
  // It has the console as files.
  cli: {
    packages: ['contract', 'directory', 'server', 'import', 'sandbox'],
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
  { files: 'packages/server/src/maps/**', never: [...neverImported('server'), 'fastify'] },
  // Only tests start the service in the sandbox.
  {
    files: 'packages/sandbox/src/testing/**',
    never: [...otherPackages(['contract', 'directory', 'server']), 'commander'],
  },
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
  const others = new Set(Object.keys(packages));
  for (const name of allowed) others.delete(name);
  return [...others].flatMap((name) => [`@clientele/${name}`, `@clientele/${name}/*`]);
}
