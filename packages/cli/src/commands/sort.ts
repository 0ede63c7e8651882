import { addOrder, listOrders, orders, removeOrder, type Order } from '@clientele/server';
import { Argument, Command } from 'commander';
import { withDatabase } from '../database.ts';
import { createLog } from '../log.ts';
import { startProgress, type Progress } from '../progress.ts';

interface Options {
  quiet?: boolean;
}

const aField = () => new Argument('<field>', 'what to sort by').choices(orders);

async function enable(name: Order, { quiet = false }: Options): Promise<void> {
  const log = createLog(quiet);
  await withDatabase(async (client) => {
    log(`Preparing lists to be sorted by ${name}. The directory stays in use.`);
    let progress: Progress | undefined;
    try {
      await addOrder(client, name, (step, done, total) => {
        if (step === 'fill') {
          progress ??= startProgress({ label: 'Customers', total, unit: 'rows', quiet });
          progress.update(done);
          return;
        }
        progress?.stop();
        progress = undefined;
        if (step === 'index') log('Building the index. This waits for transactions that are open.');
      });
    } finally {
      progress?.stop();
    }
    log(`Lists can be sorted by ${name}.`);
  });
}

async function disable(name: Order, { quiet }: Options): Promise<void> {
  await withDatabase((client) => removeOrder(client, name));
  const log = createLog(quiet ?? false);
  log(`Lists can no longer be sorted by ${name}.`);
  const left = await withDatabase(listOrders);
  if (left.some(({ state }) => state !== 'off')) return;
  log(
    'No order is left. In a small directory, migrate adds all of them unless it runs with --no-prepare.',
  );
}

async function list(): Promise<void> {
  const all = await withDatabase(listOrders);
  for (const { name, state } of all) process.stdout.write(`${name.padEnd(22)}${state}\n`);
}

export function sortCommand(): Command {
  return new Command('sort')
    .description('choose what lists can be sorted by, besides the time of creation')
    .addCommand(
      new Command('enable')
        .description(
          'let lists be sorted by a field, or correct that; the directory stays in use, and an interrupted run is resumed',
        )
        .addArgument(aField())
        .option('--quiet', 'print only errors')
        .action(enable),
    )
    .addCommand(
      new Command('list')
        .description('show for each field whether sorting is on, off or building')
        .action(list),
    )
    .addCommand(
      new Command('disable')
        .description('no longer sort lists by a field, and drop what that needs')
        .addArgument(aField())
        .option('--quiet', 'print only errors')
        .action(disable),
    );
}
