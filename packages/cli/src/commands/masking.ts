import { Command } from 'commander';
import { withDatabase } from '../database.ts';
import { prepareMaskingWithProgress } from '../prepare-masking.ts';

export function maskingCommand(): Command {
  const prepare = new Command('prepare')
    .description(
      'prepare the directory for callers who may not see contact details; it stays in use meanwhile',
    )
    .option('--quiet', 'print only errors')
    .action(async ({ quiet }: { quiet?: boolean }) => {
      await withDatabase((client) => prepareMaskingWithProgress(client, quiet));
    });

  return new Command('masking')
    .description('hide contact details from callers without the scope customers:contact')
    .addCommand(prepare);
}
