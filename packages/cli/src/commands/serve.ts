import { existsSync } from 'node:fs';
import { readConfig, serve } from '@clientele/server';
import { Command } from 'commander';

export function serveCommand(): Command {
  return new Command('serve')
    .description('answer requests until SIGTERM, then finish them and stop')
    .action(async () => {
      await serve(readConfig(process.env), builtConsole());
    });
}

/** In a checkout the console is there once it was built: pnpm build. */
function builtConsole(): URL | undefined {
  const folder = new URL('dist/', import.meta.resolve('@clientele/console/package.json'));
  return existsSync(new URL('index.html', folder)) ? folder : undefined;
}
