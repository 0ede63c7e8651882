/**
 * Packs the package, checks it with publint and are-the-types-wrong, and installs it into fresh
 * projects for each supported environment. Needs access to the package registry.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { browse } from './browse.ts';
import { pick } from './catalog.ts';
import { writeGuideSamples } from './guide-samples.ts';
import { checkNextApp } from './next-app.ts';

const root = join(import.meta.dirname, '..');
const workspace = join(root, '../..');
const work = await mkdtemp(join(tmpdir(), 'clientele-pack-'));

/** If the command fails, the error contains its output. */
async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
  }
}

async function pack(): Promise<string> {
  await run(root, process.execPath, 'scripts/build.ts');
  await run(root, 'pnpm', 'pack', '--pack-destination', work);
  const name = (await readdir(work)).find((file) => file.endsWith('.tgz'));
  return join(work, name!);
}

interface Project {
  dependencies: Record<string, string>;
  compilerOptions?: Record<string, unknown>;
  /** Files of this repository, keyed by their name in the project. */
  files: Record<string, string>;
}

/** A project outside the workspace, with the tarball installed. */
async function createProject(name: string, tarball: string, project: Project): Promise<string> {
  const folder = join(work, name);
  await mkdir(folder);
  const write = (file: string, value: object) =>
    writeFile(join(folder, file), JSON.stringify(value, null, 2));
  await write('package.json', {
    name,
    private: true,
    type: 'module',
    dependencies: { '@clientele/client': `file:${tarball}`, ...project.dependencies },
  });
  await write('tsconfig.json', {
    compilerOptions: {
      target: 'es2024',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      noEmit: true,
      jsx: 'react-jsx',
      types: [],
      ...project.compilerOptions,
    },
    include: ['*.ts', '*.tsx', 'app/**/*'],
  });
  for (const [file, source] of Object.entries(project.files)) {
    await cp(join(workspace, source), join(folder, file));
  }
  const options = ['--ignore-workspace', '--prefer-offline', '--ignore-scripts'];
  await run(folder, 'pnpm', 'install', ...options, '--config.auto-install-peers=false');
  return folder;
}

const tsc = join(workspace, 'node_modules/.bin/tsc');
const hookTests = Object.fromEntries(
  [
    'clear-customers.test.tsx',
    'directory.ts',
    'hook-options.test.tsx',
    'in-pieces.ts',
    'infinite.test.tsx',
    'offline.test.tsx',
    'react-tree.test.tsx',
    'rendered.tsx',
    'server-rendering.test.tsx',
    'types.test-d.tsx',
    'use-customer.test.tsx',
    'use-customers-rows-first.test.tsx',
    'use-customers.test.tsx',
    'use-debounced-search.test.tsx',
  ].map((file) => [file, `packages/client/test/${file}`]),
);
const testTools = pick(
  ...['vitest', 'vite', 'happy-dom', 'fast-check', 'msw'],
  ...['@testing-library/dom', '@testing-library/react'],
);

/** Only types: the rest of React Native is large. */
const onDevice = `import { addEventListener } from '@react-native-community/netinfo';
import { connectToDevice } from './connect-to-device.ts';

connectToDevice({ addEventListener }, { addEventListener: () => ({ remove: () => undefined }) });
`;

const checks: Record<string, (tarball: string) => Promise<unknown>> = {
  'publint passes': (tarball) => run(root, 'publint', tarball, '--strict'),

  'are-the-types-wrong passes': (tarball) => run(root, 'attw', tarball, '--profile', 'esm-only'),

  'Node 24 with nothing else installed and no DOM types': async (tarball) => {
    const folder = await createProject('node', tarball, {
      dependencies: pick('@types/node'),
      compilerOptions: { module: 'nodenext', lib: ['es2024'], types: ['node'] },
      files: { 'fetch-only.ts': 'packages/client/test/packed/fetch-only.ts' },
    });
    await run(folder, tsc);
    await run(folder, process.execPath, 'fetch-only.ts', 'unchecked');
    await run(folder, process.execPath, '--conditions=development', 'fetch-only.ts', 'checked');
  },

  'Deno without permissions, and Bun': async (tarball) => {
    const bun = `@oven/bun-${process.platform}-${process.arch}`;
    const folder = await createProject('other-runtimes', tarball, {
      dependencies: { deno: '2.9.6', [bun]: '1.4.4' },
      files: { 'fetch-only.ts': 'packages/client/test/packed/fetch-only.ts' },
    });
    await run(folder, 'pnpm', 'exec', 'deno', 'run', '--no-prompt', 'fetch-only.ts', 'unchecked');
    await run(folder, `node_modules/${bun}/bin/bun`, 'fetch-only.ts', 'unchecked');
  },

  'React 19, TypeScript 7, ESM resolution; the guide': async (tarball) => {
    const folder = await createProject('react-19', tarball, {
      dependencies: {
        ...testTools,
        ...pick('@tanstack/react-query', '@types/node'),
        ...pick('react', 'react-dom', '@types/react', '@types/react-dom'),
      },
      compilerOptions: { module: 'nodenext', types: ['node'], allowImportingTsExtensions: true },
      files: hookTests,
    });
    await writeGuideSamples(folder);
    await run(folder, tsc);
    await run(folder, 'pnpm', 'exec', 'vitest', 'run');
  },

  'oldest supported peers: React 18.2, TanStack Query 5.59, TypeScript 5.5, bundler resolution; the guide':
    async (tarball) => {
      const folder = await createProject('react-18', tarball, {
        dependencies: {
          ...testTools,
          '@tanstack/react-query': '5.59.0',
          '@react-native-community/netinfo': '12.0.1',
          react: '18.2.0',
          'react-dom': '18.2.0',
          '@types/node': '22.10.0',
          '@types/react': '18.2.79',
          '@types/react-dom': '18.2.25',
          typescript: '5.5.4',
        },
        compilerOptions: {
          target: 'es2022',
          lib: ['esnext', 'dom', 'dom.iterable'],
          module: 'esnext',
          moduleResolution: 'bundler',
          types: ['node'],
          allowImportingTsExtensions: true,
          skipLibCheck: true,
        },
        files: hookTests,
      });
      await writeGuideSamples(folder);
      await writeFile(join(folder, 'on-device.ts'), onDevice);
      // Components that are async, as those of Next.js, need React 19.
      await rm(join(folder, 'app'), { recursive: true });
      await run(folder, 'pnpm', 'exec', 'tsc');
      await run(folder, 'pnpm', 'exec', 'vitest', 'run');
    },

  'Chromium: the example, bundled by Vite': async (tarball) => {
    const folder = await createProject('example', tarball, {
      dependencies: pick('vite', 'react', 'react-dom', '@tanstack/react-query'),
      files: Object.fromEntries(
        ['app.tsx', 'index.html', 'vite.config.ts'].map((file) => [
          file,
          `examples/customer-list/${file}`,
        ]),
      ),
    });
    await run(folder, 'pnpm', 'exec', 'vite', 'build');
    const scripts = await readdir(join(folder, 'dist/assets'));
    const bundle = await readFile(join(folder, 'dist/assets', scripts[0]!), 'utf8');
    // Only the contract check has wire names as object keys.
    if (/\bemail_address:/.test(bundle)) {
      throw new Error('The production bundle contains the contract check');
    }
    await browse(folder, { signedOut: 'The key is missing or revoked.' });
  },

  "Chromium: the guide's app": async (tarball) => {
    const folder = await createProject('guide', tarball, {
      dependencies: pick('vite', 'react', 'react-dom', '@tanstack/react-query'),
      files: { 'index.html': 'examples/customer-list/index.html' },
    });
    await writeGuideSamples(folder);
    const page = join(folder, 'index.html');
    await writeFile(page, (await readFile(page, 'utf8')).replace('app.tsx', 'main.tsx'));
    await run(folder, 'pnpm', 'exec', 'vite', 'build');
    await browse(folder, { signedOut: 'Please sign in again.' });
  },
};

/** With `NIGHTLY=1`, instead of those above: building takes both processors for more than a minute. */
const nightly: typeof checks = {
  "Next.js: the guide's app": async (tarball) => {
    const folder = await createProject('next', tarball, {
      dependencies: {
        ...{ next: '16.4.6', typescript: '5.9.3' },
        ...pick('react', 'react-dom', '@tanstack/react-query', '@types/node', '@types/react'),
      },
      files: {},
    });
    await writeGuideSamples(folder);
    await checkNextApp(folder);
  },
};

try {
  const tarball = await pack();
  const results = await Promise.allSettled(
    Object.entries(process.env['NIGHTLY'] ? nightly : checks).map(async ([name, check]) => {
      const start = performance.now();
      await check(tarball).catch((error: unknown) => {
        throw new Error(`✗ ${name}\n${String(error)}`);
      });
      return `✓ ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`;
    }),
  );
  for (const result of results) {
    if (result.status === 'fulfilled') process.stdout.write(`${result.value}\n`);
    else process.exitCode = 1;
    if (result.status === 'rejected') process.stderr.write(`${String(result.reason)}\n`);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
