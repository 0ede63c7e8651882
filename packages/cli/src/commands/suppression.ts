import {
  findSuppressions,
  type FoundSuppression,
  type Identifiers,
  isUuid,
  liftSuppressions,
  type Secret,
} from '@clientele/directory';
import { Command } from 'commander';
import type pg from 'pg';
import { openErasing, withWriter } from '../erasure.ts';
import { CommandError } from '../explain.ts';
import { createLog } from '../log.ts';
import { collect } from '../reading-options.ts';
import { visible } from '../visible.ts';

interface SuppressionOptions {
  email?: string[];
  phone?: string[];
  reason?: string;
  ledger?: string;
  quiet?: boolean;
  json?: boolean;
}

type Given = Identifiers & { place: string };

async function check(uuids: string[], options: SuppressionOptions): Promise<void> {
  const people = readPeople(uuids, options);
  const { secret } = await openErasing();
  const found = await withWriter((client) => findSuppressions(client, secret!, people));
  if (options.json) process.stdout.write(`${JSON.stringify(found)}\n`);
  else if (found.length === 0) process.stdout.write('Nothing of it is suppressed.\n');
  else for (const each of found) process.stdout.write(`${visible(describe(each))}\n`);
}

async function lift(uuids: string[], options: SuppressionOptions): Promise<void> {
  const people = readPeople(uuids, options);
  const reason = checkedReason(options);
  const { secret, ledger, audited } = await openErasing(options.ledger);
  const log = createLog(options.quiet);
  if (!ledger) log(noLedger);
  const { lifted, others } = await withWriter(async (client) => ({
    others: await notSuppressed(client, secret!, people),
    lifted: await liftSuppressions(client, people, { reason, secret: secret!, ledger, audited }),
  }));
  if (options.json) process.stdout.write(`${JSON.stringify(lifted)}\n`);
  if (lifted.length === 0) throw new CommandError('Nothing of it is suppressed.');
  for (const { kind, uuid } of lifted) log(`Lifted: the ${kinds[kind]} of customer ${uuid}.`);
  if (others.length > 0) {
    log(`Not suppressed, so nothing was lifted for: ${others.join(', ')}.`);
  }
}

/** Where these were given: the output may be kept, so it has no addresses and numbers. */
async function notSuppressed(
  client: pg.Client,
  secret: Secret,
  people: readonly Given[],
): Promise<string[]> {
  const places: string[] = [];
  for (const each of people) {
    const found = await findSuppressions(client, secret, [each]);
    if (found.every(({ lifted_at }) => lifted_at !== null)) places.push(each.place);
  }
  return places;
}

function readPeople(uuids: string[], { email = [], phone = [] }: SuppressionOptions): Given[] {
  if (!uuids.every(isUuid)) throw new CommandError('A customer is given by its UUID.');
  const people = [
    ...uuids.map((uuid) => ({ uuid: uuid.toLowerCase(), place: uuid })),
    ...email.map((each, i) => ({ email: each, place: `entry ${i + 1} of --email` })),
    ...phone.map((each, i) => ({ phone: each, place: `entry ${i + 1} of --phone` })),
  ];
  if (people.length > 0) return people;
  throw new CommandError('Say what to look for: a UUID, --email or --phone.');
}

/** The reason is kept, so it must not say whose suppression was lifted. */
function checkedReason({ reason = '', email = [], phone = [] }: SuppressionOptions): string {
  if (reason.trim() === '') {
    throw new CommandError('Say why with --reason, such as the number of the request.');
  }
  const given = reason.toLowerCase();
  if (![...email, ...phone].some((each) => given.includes(each.toLowerCase())))
    return reason.trim();
  throw new CommandError('The reason is kept, so it must not contain the address or the number.');
}

const kinds = { uuid: 'identifier', email: 'e-mail address', phone: 'phone number' } as const;

function describe(found: FoundSuppression): string {
  const { kind, uuid, erased_at, reason, lifted_at, lifted_by, lift_reason } = found;
  const day = (date: Date | null): string => date?.toISOString().slice(0, 10) ?? 'an unknown day';
  const erased = `The ${kinds[kind]} of customer ${uuid}, erased on ${day(erased_at)}`;
  const why = reason ? ` (${reason})` : '';
  if (lifted_at === null) return `${erased}${why}: suppressed.`;
  return `${erased}${why}: lifted on ${day(lifted_at)} by ${lifted_by} (${lift_reason}).`;
}

const noLedger =
  'Warning: CLIENTELE_LEDGER_FILE is not set. After a restore, this would be suppressed again.';

const withPeople = (command: Command): Command =>
  command
    .argument('[uuid...]', 'identifiers of customers')
    .option('--email <address>', 'an e-mail address, in any spelling; may be repeated', collect)
    .option('--phone <number>', 'a phone number, in any spelling; may be repeated', collect);

export function suppressionCommand(): Command {
  const checkCommand = withPeople(new Command('check'))
    .description('say whether an identifier, an address or a number is suppressed, and since when')
    .option('--json', 'print JSON')
    .action(check);
  const liftCommand = withPeople(new Command('lift'))
    .description('let imports bring in an identifier, an address or a number again')
    .option('--reason <text>', 'why, without personal data: it is kept')
    .option('--ledger <file>', 'the ledger of erasures (default: CLIENTELE_LEDGER_FILE)')
    .option('--quiet', 'print only errors')
    .option('--json', 'print what was lifted as JSON')
    .addHelpText(
      'after',
      '\nLifts only what you name. For somebody who wants to be a customer again, name the identifier, the\naddress and the number.',
    )
    .action(lift);
  return new Command('suppression')
    .description('the list that keeps erased people from coming back')
    .addCommand(checkCommand)
    .addCommand(liftCommand)
    .addHelpText('after', '\nNeeds CLIENTELE_SECRET_FILE, and the login that imports.');
}
