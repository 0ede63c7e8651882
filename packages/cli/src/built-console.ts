import { existsSync } from 'node:fs';

/** The folder with the console's files. In a checkout, it exists after `pnpm build`. */
export function builtConsole(): URL | undefined {
  const folder = new URL('dist/', import.meta.resolve('@clientele/console/package.json'));
  return existsSync(new URL('index.html', folder)) ? folder : undefined;
}
