/** The packages from npm that the files of a bundle belong to, with their licenses. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface BundledPackage {
  name: string;
  version: string;
  /** An SPDX identifier. */
  license: string;
  /** The license and notice files of the package. */
  texts: string[];
}

/** Licenses whose terms are met when the notices are passed on. */
const accepted = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'OFL-1.1']);

/** Sorted by name and version. Throws on a license that nobody has accepted. */
export function packagesOf(files: string[]): BundledPackage[] {
  const folders = new Set(files.filter((file) => file.includes('/node_modules/')).map(folderOf));
  const packages = Array.from(folders, readPackage);
  const refused = packages.filter(({ license }) => !accepted.has(license));
  if (refused.length > 0) {
    const list = refused.map(({ name, license }) => `${name} (${license})`).join(', ');
    throw new Error(`Bundled packages with licenses that are not accepted: ${list}`);
  }
  return packages.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

export const idOf = ({ name, version }: BundledPackage): string => `${name}@${version}`;

/** Packages may contain further manifests, without a version, that only set the module type. */
function folderOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path) && 'version' in (JSON.parse(readFileSync(path, 'utf8')) as object)) {
      return folder;
    }
  }
  throw new Error(`${file} belongs to no package`);
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license: string; author?: string | { name: string } };
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) {
    const by = typeof author === 'object' ? author.name : author;
    texts.push(`The package contains no license file. Its author is ${by ?? 'not named'}.`);
  }
  return { name, version, license, texts };
}

/** One document with all notices. */
export function notices(packages: BundledPackage[]): string {
  const title =
    '# Third-party licenses\n\nThis package contains code and fonts of these packages.\n';
  const sections = packages.map(
    ({ name, version, license, texts }) =>
      `## ${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`,
  );
  return [title, ...sections].join('\n');
}
