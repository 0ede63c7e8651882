import { refreshSearch } from '@clientele/server';
import { Command } from 'commander';
import { withDatabase } from '../database.ts';
import { createLog } from '../log.ts';
import { startProgress, type Progress } from '../progress.ts';

async function refresh(quiet = false): Promise<void> {
  const log = createLog(quiet);
  await withDatabase(async (client) => {
    log(
      'Comparing the searchable text of customers with the search rules. The directory stays in use.',
    );
    let progress: Progress | undefined;
    try {
      const changed = await refreshSearch(client, ({ compared, of: total }) => {
        progress ??= startProgress({ label: 'Customers', total, unit: 'rows', quiet });
        progress.update(compared);
      });
      progress?.stop();
      log(
        `All customers use the current search rules; ${changed.toLocaleString('en')} ${changed === 1 ? 'was' : 'were'} updated.`,
      );
    } finally {
      progress?.stop();
    }
  });
}

export function searchTextCommand(): Command {
  const refreshCommand = new Command('refresh')
    .description(
      'recompute the searchable text after a change of the search rules; the directory stays in use, and an interrupted run is resumed',
    )
    .option('--quiet', 'print only errors')
    .action(({ quiet }: { quiet?: boolean }) => refresh(quiet));

  return new Command('search-text')
    .description('update the text by which customers are found')
    .addCommand(refreshCommand);
}
