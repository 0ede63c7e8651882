import { existsSync } from 'node:fs';

/** The folder of the console's files. In a checkout they are there once built: pnpm build. */
export function builtConsole(): URL | undefined {
  const folder = new URL('dist/', import.meta.resolve('@clientele/console/package.json'));
  return existsSync(new URL('index.html', folder)) ? folder : undefined;
}
