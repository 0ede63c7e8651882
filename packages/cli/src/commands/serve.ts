import { Command } from 'commander';
import { builtConsole } from '../built-console.ts';
import { stopSignal } from '../stop-signal.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('start the server; on SIGTERM it finishes open requests and exits')
    .action(async () => {
      // The other commands start faster without it.
      const { readConfig, serve } = await import('@clientele/server');
      const until = stopSignal('SIGTERM', 'SIGINT');
      await serve(readConfig(process.env), { until, consoleFolder: builtConsole() });
    });
}
