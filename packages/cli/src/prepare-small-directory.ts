/** What `migrate` prepares by itself in a small directory, and names as commands in a large one. */
import {
  findUnprepared,
  isMaskingReady,
  isSmallDirectory,
  listOrders,
  prepareSmallDirectory,
  type Unprepared,
} from '@clientele/server';
import type pg from 'pg';

type Log = (line: string) => void;

export async function prepareAfterMigration(client: pg.Client, log: Log): Promise<void> {
  const missing = await findUnprepared(client);
  const commands = commandsFor(missing);
  if (commands.length === 0) return;
  if (!(await isSmallDirectory(client))) {
    // Its commands are named with what is wrong.
    if ((await findUnfinished(client)).length > 0) return;
    log(`For a directory of this size, ${whatFor(missing)} stays a command. As the owner, run:`);
    for (const command of commands) log(`  ${command}`);
    return;
  }
  log(`Preparing ${whatFor(missing)}. To leave it: clientele migrate --no-prepare`);
  try {
    await prepareSmallDirectory(client, missing);
  } catch (error) {
    const reason = reasons[(error as { code?: string }).code ?? ''];
    if (reason === undefined) throw error;
    const { message } = error as Error;
    log(`It is not prepared, because ${reason} (${message}). The directory works without it.`);
    for (const command of commandsFor(await stillMissing(client, missing)))
      log(`Run later: ${command}`);
  }
}

/** What passes, or needs an administrator, is no reason to fail a migration that has succeeded. */
const reasons: Record<string, string | undefined> = {
  '55P03': 'another transaction is open',
  '42501': 'a right is missing',
};

/** What is still missing of it. */
async function stillMissing(client: pg.Client, { orders }: Unprepared): Promise<Unprepared> {
  const on = (await listOrders(client)).filter(({ state }) => state === 'on');
  return {
    masking: !(await isMaskingReady(client)),
    orders: orders.filter((order) => !on.some(({ name }) => name === order)),
  };
}

function whatFor({ masking, orders }: Unprepared): string {
  return [
    ...(orders.length > 0 ? [`sorting by ${orders.join(', ')}`] : []),
    ...(masking ? ['hiding contact details from callers without customers:contact'] : []),
  ].join(', and ');
}

const commandsFor = ({ masking, orders }: Unprepared): string[] => [
  ...(masking ? ['clientele masking prepare'] : []),
  ...orders.map((name) => `clientele sort enable ${name}`),
];

/** What a restore has left behind, or an interruption: their triggers or what they filled in are not as they were. */
export async function findUnfinished(
  client: pg.Client,
): Promise<{ what: string; command: string }[]> {
  const { rows } = await client.query(
    'select from clientele.masking where not clientele.is_masking_ready()',
  );
  const masking = rows.map(() => ({
    what: 'Callers who may not see contact details are refused until masking is prepared again.',
    command: 'clientele masking prepare',
  }));
  const orders = (await listOrders(client)).filter(({ state }) => state === 'building');
  return [
    ...masking,
    ...orders.map(({ name }) => ({
      what: `Lists cannot be sorted by ${name} until it is prepared again.`,
      command: `clientele sort enable ${name}`,
    })),
  ];
}
