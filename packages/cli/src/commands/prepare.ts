import { listPreparations, type Order, orders, removeOrder } from '@clientele/directory';
import { Argument, Command } from 'commander';
import { withDatabase } from '../database.ts';
import { createLog } from '../log.ts';
import { prepareWithProgress, showProgress } from '../prepare.ts';

interface Options {
  drop?: boolean;
  quiet?: boolean;
}

async function list(): Promise<void> {
  const all = await withDatabase(listPreparations);
  for (const { name, state } of all) process.stdout.write(`${name.padEnd(27)}${state}\n`);
}

async function drop(order: Order, quiet?: boolean): Promise<void> {
  const log = createLog(quiet);
  await withDatabase(async (client) => {
    await showProgress((onProgress) => removeOrder(client, order, { onProgress }), quiet);
    log(`Lists can no longer be sorted by ${order}.`);
    const left = await listPreparations(client);
    if (left.some(({ name, state }) => name.startsWith('sort ') && state !== 'off')) return;
    log(
      'No order is left. In a small directory, migrate adds all of them unless it runs with --no-prepare.',
    );
  });
}

const withQuiet = (command: Command): Command => command.option('--quiet', 'print only errors');

export function prepareCommand(): Command {
  const listCommand = new Command('list')
    .description('show what is on, off or unfinished, which has to be prepared again')
    .action(list);
  const sort = new Command('sort')
    .description('let lists be sorted by a field, besides the time of creation')
    .addArgument(new Argument('<field>', 'what to sort by').choices(orders))
    .option('--drop', 'no longer sort lists by the field, and drop what that needs')
    .action(async (order: Order, options: Options) => {
      if (options.drop) return drop(order, options.quiet);
      await withDatabase((client) => prepareWithProgress(client, `sort ${order}`, options.quiet));
    });
  const masking = new Command('masking')
    .description('hide contact details from callers without the scope customers:contact')
    .action(({ quiet }: Options) =>
      withDatabase((client) => prepareWithProgress(client, 'masking', quiet)),
    );
  const searchText = new Command('search-text')
    .description(
      'recompute the text by which customers are found, after a change of the search rules',
    )
    .action(({ quiet }: Options) =>
      withDatabase((client) => prepareWithProgress(client, 'search-text', quiet)),
    );

  return new Command('prepare')
    .description('prepare sorting, masking and new search rules, while the directory stays in use')
    .addCommand(listCommand, { isDefault: true })
    .addCommand(withQuiet(sort))
    .addCommand(withQuiet(masking))
    .addCommand(withQuiet(searchText))
    .addHelpText(
      'after',
      `
Without a command, it shows the list. If a run is interrupted, run it again: it does only what is
missing. For a preparation that is already on, a run compares all customers and corrects what differs.`,
    );
}
