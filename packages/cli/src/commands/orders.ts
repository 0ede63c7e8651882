import { addOrder, listOrders, orders, removeOrder, type Order } from '@clientele/server';
import { Argument, Command } from 'commander';
import { withDatabase } from '../database.ts';
import { createLog } from '../log.ts';
import { startProgress, type Progress } from '../progress.ts';

interface Options {
  quiet?: boolean;
}

const anOrder = () => new Argument('<order>', 'what to sort by').choices(orders);

async function add(name: Order, { quiet = false }: Options): Promise<void> {
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

async function remove(name: Order, { quiet }: Options): Promise<void> {
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

export function ordersCommand(): Command {
  return new Command('orders')
    .description('what lists can be sorted by, besides the time of creation')
    .addCommand(
      new Command('add')
        .description(
          'prepare an order, or correct it; the directory stays in use, and an interrupted run is resumed',
        )
        .addArgument(anOrder())
        .option('--quiet', 'print only errors')
        .action(add),
    )
    .addCommand(
      new Command('list').description('show which orders are on, off or unfinished').action(list),
    )
    .addCommand(
      new Command('remove')
        .description('switch an order off and drop what it needs')
        .addArgument(anOrder())
        .option('--quiet', 'print only errors')
        .action(remove),
    );
}
