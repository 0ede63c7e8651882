import { scopes, type Scope } from '@clientele/contract';
import {
  type AccessKeyRecord,
  changeAccess,
  insertKey,
  listKeys,
  makeAccessKey,
  maskingState,
  readAuditSettings,
  revokeKey,
} from '@clientele/directory';
import { Command, InvalidArgumentError, Option } from 'commander';
import { withDatabase } from '../database.ts';
import { CommandError } from '../explain.ts';
import { prepareWithProgress } from '../prepare.ts';
import { wholeNumber } from '../whole-number.ts';
import { visible } from '../visible.ts';

interface CreateOptions {
  name: string;
  scope?: Scope[];
  /** Seconds. */
  expires?: number;
  recordsPerDay?: number;
}

const day = 86_400;
const units: Record<string, number> = { h: 3_600, d: day };
const longestDays = 3_650;

/** Scopes that allow nothing without one of these. */
const incomplete: Partial<Record<Scope, readonly Scope[]>> = {
  'customers:search': ['customers:list'],
  'customers:contact': ['customers:list', 'customers:lookup'],
  'customers:export': ['customers:list'],
};

export function keysCommand(): Command {
  const create = new Command('create')
    .description('create a key and print it; only its hash is stored, so it cannot be shown again')
    .requiredOption('--name <name>', 'who or what uses the key')
    .addOption(
      new Option(
        '--scope <scope...>',
        `what the key allows, separated by commas or spaces: ${scopes.join(', ')} (default: all)`,
      ).argParser(parseScopes),
    )
    .addOption(
      new Option(
        '--expires <duration>',
        'when the key stops working, such as 90d or 12h (default: never)',
      ).argParser(parseDuration),
    )
    .addOption(
      new Option(
        '--records-per-day <number>',
        'how many customers the key may be shown in one day, in UTC (default: no limit)',
      ).argParser(wholeNumber(1, 1_000_000_000)),
    )
    .action(createKey);

  const list = new Command('list')
    .description('list the keys, without their secrets')
    .action(async () => {
      const keys = await withDatabase(listKeys);
      for (const key of keys) process.stdout.write(`${describe(key).map(visible).join('\t')}\n`);
      if (keys.length === 0)
        process.stderr.write(
          'There are no keys yet. Create one with: clientele keys create --name NAME\n',
        );
    });

  const revoke = new Command('revoke')
    .description('revoke a key; running servers reject it within 15 seconds')
    .argument('<id>', 'the part of the key between ck_ and the next _')
    .action(async (id: string) => {
      const isRevoked = await withDatabase((client) =>
        changeAccess(client, { action: 'revoke-key', target: id, audited: isAudited() }, () =>
          revokeKey(client, id),
        ),
      );
      if (!isRevoked) {
        throw new CommandError('No key has this id. List the keys with: clientele keys list');
      }
      process.stderr.write(`Revoked key ${id}. Running servers reject it within 15 seconds.\n`);
    });

  return new Command('keys')
    .description('create, list and revoke access keys')
    .addCommand(create)
    .addCommand(list)
    .addCommand(revoke);
}

const isAudited = (): boolean => readAuditSettings(process.env) !== undefined;

async function createKey({ name, scope, expires, recordsPerDay }: CreateOptions): Promise<void> {
  if (name.trim() === '' || name.length > 100) {
    throw new CommandError('--name must have 1 to 100 characters.');
  }
  const allowed = scope ?? [...scopes];
  for (const [one, needed] of Object.entries(incomplete) as [Scope, readonly Scope[]][]) {
    if (allowed.includes(one) && !needed.some((other) => allowed.includes(other))) {
      throw new CommandError(
        `--scope ${one} allows nothing by itself. Add ${needed.join(' or ')}.`,
      );
    }
  }
  const key = makeAccessKey();
  const limits = { expiresInSeconds: expires, recordsPerDay };
  await withDatabase(async (client) => {
    if (!allowed.includes('customers:contact') && (await maskingState(client)) !== 'on') {
      await prepareWithProgress(client, 'masking');
    }
    const created = { action: 'create-key', target: key.id, audited: isAudited() } as const;
    await changeAccess(client, created, async () => {
      await insertKey(client, key, name, allowed, limits);
      return true;
    });
  });
  process.stdout.write(`${key.key}\n`);
  process.stderr.write(
    `Created key ${key.id}. Store it now: it cannot be shown again.\n` +
      `It has ${scope ? `the scopes ${allowed.join(', ')}` : 'every scope'}, ` +
      `${expires === undefined ? 'does not expire' : `expires on ${new Date(Date.now() + 1_000 * expires).toISOString()}`}, and ` +
      `${recordsPerDay === undefined ? 'has no daily limit' : `may be shown ${recordsPerDay} customers a day`}.\n`,
  );
}

/** Five columns that have always been there, and what was added after them. */
function describe(key: AccessKeyRecord): string[] {
  const { created_at, revoked_at, expires_at, last_used_at, records_per_day } = key;
  const ends = expires_at?.toISOString();
  const live =
    ends === undefined ? 'active' : `${key.is_expired ? 'expired' : 'active until'} ${ends}`;
  return [
    key.id,
    created_at.toISOString(),
    revoked_at ? `revoked ${revoked_at.toISOString()}` : live,
    key.scopes.join(','),
    key.name,
    last_used_at ? `used ${last_used_at.toISOString()}` : 'never used',
    records_per_day === null
      ? 'no daily limit'
      : `${key.records_today} of ${records_per_day} records today`,
  ];
}

/** Called for each value of the option, with what came before. */
function parseScopes(text: string, before: readonly Scope[] = []): Scope[] {
  const chosen = text.split(',').map((word) => {
    const scope = scopes.find((known) => known === word.trim());
    if (scope) return scope;
    throw new InvalidArgumentError(`Choose from ${scopes.join(', ')}.`);
  });
  return [...new Set([...before, ...chosen])];
}

function parseDuration(text: string): number {
  const [, number, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  const seconds = Number(number) * (units[unit ?? ''] ?? Number.NaN);
  if (seconds <= longestDays * day) return seconds;
  throw new InvalidArgumentError(
    `It must be a number of hours or days, such as 12h or 90d, up to ${longestDays}d.`,
  );
}
