import { readConfig, serve } from '@clientele/server';
import { Command } from 'commander';

export function serveCommand(): Command {
  return new Command('serve')
    .description('answer requests until SIGTERM, then finish them and stop')
    .action(async () => {
      await serve(readConfig(process.env));
    });
}
