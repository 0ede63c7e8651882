/** What a page refers to exists: links, files, scripts, commands. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  anchors,
  codeSpans,
  exists,
  fencedBlocks,
  files,
  home,
  read,
  root,
  sections,
  withoutFences,
} from './pages.ts';

export function checkLinks(page: string): string[] {
  const faults: string[] = [];
  for (const [, target = ''] of withoutFences(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!exists(file)) faults.push(`${page}: the link ${target} leads nowhere`);
    else if (anchor !== undefined && !anchors(file).has(anchor)) {
      faults.push(`${page}: the link ${target} names a heading that does not exist`);
    }
  }
  return faults;
}

const topFolders = new Set(['packages', 'scripts', 'docs', 'deploy', 'bench', 'examples', '.ci']);
const sources = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`);
/** Folders inside a package's sources, such as `db`: pages name their files without the package. */
const sourceFolders = new Set(
  sources
    .filter(exists)
    .flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
);

/** Part of a path that the reader fills in. */
const placeholder = /00000N|NAME/;

/** Paths in any page: from the root, from the page's own package, or from the sources of a package. */
export function checkPaths(page: string): string[] {
  const faults: string[] = [];
  for (const code of codeSpans(read(page))) {
    if (!/^[\w.-]+(\/[\w.-]+)+\/?$/.test(code) || placeholder.test(code)) continue;
    const [first = ''] = code.split('/');
    const inSources = sourceFolders.has(first) && /\.\w+$/.test(code);
    const inPackage = ['src', 'test', 'e2e'].includes(first);
    if (!topFolders.has(first) && !inSources && !inPackage) continue;
    const bases = ['.', home(page), ...(inSources ? sources : [])];
    if (!bases.some((base) => exists(join(base, code)))) {
      faults.push(`${page}: ${code} does not exist`);
    }
  }
  return faults;
}

const sourceFile = /^[\w.-]+\.(ts|tsx|sql|md|json|mjs|css|html|yaml)$/;
const isPath = (text: string): boolean =>
  !placeholder.test(text) &&
  (sourceFile.test(text) || /^[\w-][\w.-]*(\/[\w.-]+)*\/[\w.-]*$/.test(text));

/**
 * Every path of a page that describes the code, in its text and in its diagrams. A path starts at the
 * root or at a folder that the same section names.
 */
export function checkEveryPath(page: string): string[] {
  return sections(page).flatMap((text) => {
    const words = fencedBlocks(text, 'text').flatMap((block) => block.split(/[\s(),:]+/));
    const paths = [...codeSpans(text), ...words].filter(isPath);
    const folders = paths.filter((path) => exists(path) && isFolder(path));
    return paths
      .filter((path) => !['.', ...folders].some((folder) => exists(join(folder, path))))
      .map((path) => `${page}: ${path} does not exist`);
  });
}

const isFolder = (path: string): boolean => statSync(join(root, path)).isDirectory();

/** Every `pnpm X` is a script of the workspace or of the package in question, or a command of pnpm. */
export function checkScripts(page: string): string[] {
  const faults: string[] = [];
  const builtIn = new Set(['install', 'add', 'exec']);
  const commands = new Set(
    readdirSync(join(root, 'packages/cli/src/commands')).map((file) => file.replace(/\.ts$/, '')),
  );
  const text = read(page);
  for (const code of [...codeSpans(text), ...fencedBlocks(text)]) {
    for (const [, filter, name = ''] of code.matchAll(
      /\bpnpm (?:--filter (\S+) )?(?:run )?([a-z][\w:-]*)/g,
    )) {
      const around = manifests.filter((each) =>
        filter ? each.name === filter : ['.', home(page)].includes(each.folder),
      );
      const known = builtIn.has(name) || around.some(({ scripts }) => scripts.includes(name));
      if (!known) faults.push(`${page}: there is no script ${name}`);
    }
    for (const [, name = ''] of code.matchAll(/(?:^|pnpm |npx )clientele ([a-z][a-z-]*)/gm)) {
      if (!commands.has(name)) faults.push(`${page}: there is no command clientele ${name}`);
    }
  }
  return faults;
}

const manifests = files('*package.json').map((path) => {
  const { name, scripts = {} } = JSON.parse(read(path)) as { name: string; scripts?: object };
  return { folder: dirname(path), name, scripts: Object.keys(scripts) };
});
