import { refreshSearch } from '@clientele/server';
import { Command } from 'commander';
import { withDatabase } from '../database.ts';
import { createLog } from '../log.ts';
import { startProgress, type Progress } from '../progress.ts';

async function refresh(quiet = false): Promise<void> {
  const log = createLog(quiet);
  await withDatabase(async (client) => {
    log('Comparing what customers are found by with the search rules. The directory stays in use.');
    let progress: Progress | undefined;
    try {
      const changed = await refreshSearch(client, ({ compared, of: total }) => {
        progress ??= startProgress({ label: 'Customers', total, unit: 'rows', quiet });
        progress.update(compared);
      });
      progress?.stop();
      log(
        `All customers are found by the present rules; ${changed.toLocaleString('en')} had to be changed.`,
      );
    } finally {
      progress?.stop();
    }
  });
}

export function searchCommand(): Command {
  const refreshCommand = new Command('refresh')
    .description(
      'compute again what customers are found by, after the search rules have changed; the directory stays in use, and an interrupted run is resumed',
    )
    .option('--quiet', 'print only errors')
    .action(({ quiet }: { quiet?: boolean }) => refresh(quiet));

  return new Command('search')
    .description('keep what customers are found by up to date')
    .addCommand(refreshCommand);
}
