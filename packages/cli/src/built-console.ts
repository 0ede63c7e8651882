import { existsSync } from 'node:fs';

/** Where the console's files are in the published package, and where `pnpm build` writes them in a checkout. */
const folders = ['../console/', '../../console/dist/'].map(
  (path) => new URL(path, import.meta.url),
);

export function builtConsole(): URL | undefined {
  return folders.find((folder) => existsSync(new URL('index.html', folder)));
}
