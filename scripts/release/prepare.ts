/** The version and the addresses in every manifest, the heading of the changelog, and the API that later releases must keep. */
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openapiDocument } from '@clientele/contract/openapi';
import { root } from './run.ts';

/** The OpenAPI document of the last release. There is none before the first. */
export const releasedApi = join(root, 'packages/contract/fixtures/released-openapi.json');

export async function prepareRelease(version: string): Promise<void> {
  const addresses = await readAddresses();
  expectRealAddresses(addresses);
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
    throw new Error(`${version} is not a version such as 1.2.3 or 1.2.3-rc.1`);
  }
  const changelog = join(root, 'CHANGELOG.md');
  const closed = closeChangelog(await readFile(changelog, 'utf8'), version, today());
  for await (const manifest of glob(join(root, 'packages/*/package.json'))) {
    const text = await readFile(manifest, 'utf8');
    const versioned = text.replace(/^ {2}"version": "[^"]+"/m, `  "version": "${version}"`);
    await writeFile(manifest, nameAddresses(versioned, addresses));
  }
  for (const file of ['package.json', 'SECURITY.md'].map((name) => join(root, name))) {
    await writeFile(file, nameAddresses(await readFile(file, 'utf8'), addresses));
  }
  for await (const file of glob(join(root, '{deploy/**/*.yaml,docs/how-to/*.md}'))) {
    await writeFile(file, nameImage(await readFile(file, 'utf8'), version));
  }
  await writeFile(changelog, closed);
  await writeFile(releasedApi, `${JSON.stringify(openapiDocument(version), null, 2)}\n`);
}

/** Where the repository is, and to whom vulnerabilities are reported. */
export interface Addresses {
  repository: string;
  security: string;
}

export const readAddresses = async (): Promise<Addresses> =>
  JSON.parse(await readFile(join(import.meta.dirname, 'addresses.json'), 'utf8')) as Addresses;

/** Until somebody publishes this, there are only placeholders. */
export function expectRealAddresses(addresses: Addresses): void {
  for (const [name, address] of Object.entries(addresses)) {
    if (/\.example\b/.test(address)) {
      throw new Error(`scripts/release/addresses.json has a placeholder for ${name}: replace it`);
    }
  }
}

/** Manifests, and SECURITY.md, name these addresses and no others. */
export const nameAddresses = (text: string, { repository, security }: Addresses): string =>
  text
    .replace(/^ {2}"repository": "[^"]+"/m, `  "repository": "${repository}"`)
    .replace(/<[\w.-]+@[\w.-]+>[^;.]*; `pnpm release prepare` refuses\s+it\./, `<${security}>.`);

/** The entries so far become those of the version. A heading without entries is refused. */
export function closeChangelog(text: string, version: string, date: string): string {
  if (text.includes(`\n## [${version}]`)) throw new Error(`the changelog has ${version} already`);
  const [, entries] = /\n## \[Unreleased\][^\n]*\n([\s\S]*?)(?=\n## \[|$)/.exec(text) ?? [];
  if (!entries?.includes('\n- ')) throw new Error('the changelog has no unreleased entries');
  return text.replace(
    /\n## \[Unreleased\][^\n]*\n/,
    `\n## [Unreleased]\n\n## [${version}] – ${date}\n`,
  );
}

/** The image is named with the version wherever it is used, never `latest`. */
export const nameImage = (text: string, version: string): string =>
  text.replaceAll(/\bclientele:\d+\.\d+\.\d+(-[\w.]+)?/g, `clientele:${version}`);

const today = (): string => new Date().toISOString().slice(0, 10);
