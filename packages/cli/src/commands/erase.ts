import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  addressesOfNobody,
  eraseCustomers,
  findPeople,
  isUuid,
  type Person,
  type Remaining,
} from '@clientele/directory';
import { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { clearPending, describeRemaining, noLedger, openErasing, withWriter } from '../erasure.ts';
import { CommandError } from '../explain.ts';
import { createLog } from '../log.ts';
import { collect, exitWithRejects } from '../reading-options.ts';
import { many } from '../summary.ts';
import { reapply } from './reapply.ts';
import { visible } from '../visible.ts';

interface EraseCommandOptions {
  email?: string[];
  file?: string;
  reason?: string;
  ledger?: string;
  dryRun?: boolean;
  pending?: boolean;
  reapply?: string;
  yes?: boolean;
  json?: boolean;
  quiet?: boolean;
}

interface Wanted {
  uuids: string[];
  emails: Address[];
}

/** One that no customer has is reported by its place, because the output may be kept. */
interface Address {
  email: string;
  place: string;
}

/** So many people are shown before they are erased. */
const mostShown = 20;

async function erase(uuids: string[], options: EraseCommandOptions): Promise<void> {
  const log = createLog(options.quiet);
  if (options.pending) return completePending(options);
  if (options.reapply !== undefined) return reapply(options.reapply, options);
  const wanted = await readWanted(uuids, options);
  const erasing = await openErasing(options.ledger);
  await withWriter(async (client) => {
    const emails = wanted.emails.map(({ email }) => email);
    const people = await findPeople(client, { ...wanted, emails });
    const nobody = await addressesOfNobody(client, emails, people);
    const unknownAddresses = wanted.emails
      .filter(({ email }) => nobody.has(email))
      .map(({ place }) => place);
    const all = [...new Set([...wanted.uuids, ...people.map(({ uuid }) => uuid)])];
    if (all.length === 0) throw new CommandError('No customer has this e-mail address.');
    const plan = { people, all, unknownAddresses };
    if (options.dryRun) return printPlan(plan, options);
    const reason = checkedReason(options.reason, people);
    if (!options.yes) {
      log(describePlan(plan));
      await confirm();
    }
    if (!erasing.ledger) log(noLedger);
    const erased = await eraseCustomers(client, all, { ...erasing, reason });
    log(describeErased(erased.erased, erased.unknown, unknownAddresses));
    const left = await clearPending(client);
    log(describeRemaining(left));
    finish({ ...erased, unknownAddresses, ...left }, left, options);
  });
}

async function completePending(options: EraseCommandOptions): Promise<void> {
  const left = await withWriter(clearPending);
  createLog(options.quiet)(describeRemaining(left));
  finish(left, left, options);
}

function finish(summary: object, left: Remaining, { json }: EraseCommandOptions): void {
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  if (left.remaining > 0) process.exitCode = exitWithRejects;
}

async function readWanted(given: string[], options: EraseCommandOptions): Promise<Wanted> {
  const lines = options.file === undefined ? [] : await readList(options.file);
  if (!given.every(isUuid)) throw new CommandError('Not the UUID of a customer.');
  const wrong = lines.findIndex((line) => !isUuid(line) && !line.includes('@'));
  if (wrong !== -1) {
    throw new CommandError(
      `Entry ${wrong + 1} of ${options.file} is neither a UUID nor an e-mail address.`,
    );
  }
  const uuids = [...given, ...lines.filter(isUuid)].map((uuid) => uuid.toLowerCase());
  const emails = [
    ...(options.email ?? []).map((email, i) => ({ email, place: `entry ${i + 1} of --email` })),
    ...lines.flatMap((email, i) =>
      isUuid(email) ? [] : [{ email, place: `entry ${i + 1} of ${options.file}` }],
    ),
  ];
  if (uuids.length + emails.length > 0) return { uuids: [...new Set(uuids)], emails };
  throw new CommandError(
    'Say whom to erase: a UUID, --email or --file. See: clientele erase --help',
  );
}

/** Lines that are not empty. */
async function readList(path: string): Promise<string[]> {
  const content = await (path === '-' ? text(process.stdin) : readFile(path, 'utf8')).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandError(`Cannot read ${path} (${error.code}).`);
    },
  );
  return content
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The reason is kept, so it must not say who was erased. */
function checkedReason(reason: string | undefined, people: readonly Person[]): string {
  if (reason === undefined || reason.trim() === '') {
    throw new CommandError('Say why with --reason, such as the number of the request.');
  }
  const given = reason.toLowerCase();
  const isNamed = people.some(({ full_name, email_address, phone_number }) =>
    [full_name, email_address, phone_number ?? ''].some(
      (value) => value !== '' && given.includes(value.toLowerCase()),
    ),
  );
  if (!isNamed) return reason.trim();
  throw new CommandError(
    'The reason contains a name, address or number of a person who is to be erased, but it is kept. Give another one.',
  );
}

interface Plan {
  people: readonly Person[];
  /** Identifiers, those that no customer has too. */
  all: readonly string[];
  /** The places of addresses that no customer has. */
  unknownAddresses: readonly string[];
}

function describePlan({ people, all, unknownAddresses }: Plan): string {
  const lines = people
    .slice(0, mostShown)
    .map(
      ({ uuid, full_name, email_address }) =>
        `  ${uuid}  ${visible(full_name)}  ${visible(email_address)}`,
    );
  if (people.length > mostShown) lines.push(`  and ${people.length - mostShown} more`);
  const unknown = all.length - people.length;
  if (unknown > 0)
    lines.push(`  and ${many(unknown, 'identifier')} that no customer has, to be blocked`);
  if (unknownAddresses.length > 0) lines.push(describeAddresses(unknownAddresses));
  return [`To be erased for good: ${many(people.length, 'customer')}`, ...lines].join('\n');
}

function describeAddresses(places: readonly string[]): string {
  const count = many(places.length, 'address belongs', 'addresses belong');
  return `${count} to no customer: ${places.join(', ')}.`;
}

function printPlan(plan: Plan, { json, quiet }: EraseCommandOptions): void {
  if (!json) return createLog(quiet)(`${describePlan(plan)}\nNothing was changed.`);
  const { people, all, unknownAddresses } = plan;
  const found = new Set(people.map(({ uuid }) => uuid));
  const unknown = all.filter((uuid) => !found.has(uuid));
  process.stdout.write(`${JSON.stringify({ erase: [...found], unknown, unknownAddresses })}\n`);
}

function describeErased(
  erased: number,
  unknown: readonly string[],
  unknownAddresses: readonly string[],
): string {
  const blocked =
    unknown.length === 0
      ? ''
      : ` ${many(unknown.length, 'identifier belongs', 'identifiers belong')} to no customer, and imports will leave them out.`;
  const nobody = unknownAddresses.length === 0 ? '' : ` ${describeAddresses(unknownAddresses)}`;
  return `Erased ${many(erased, 'customer')}.${blocked}${nobody} Clearing what else holds their text.`;
}

export function eraseCommand(): Command {
  return new Command('erase')
    .description('erase people for good: their rows, and every trace of their text')
    .argument('[uuid...]', 'the customers')
    .option('--email <address>', 'the customers with this address; may be repeated', collect)
    .option('--file <list>', 'a file with a UUID or an address in each line; - is standard input')
    .option('--reason <text>', 'why, without personal data: it is kept')
    .option('--ledger <file>', 'the ledger of erasures (default: CLIENTELE_LEDGER_FILE)')
    .option('--dry-run', 'show who would be erased, and change nothing')
    .option('--pending', 'complete earlier erasures that had to wait for a transaction')
    .option('--reapply <ledger>', 'after a restore: erase again whoever is in this ledger')
    .option('--yes', 'do not ask for confirmation')
    .option('--quiet', 'print only errors')
    .option('--json', 'print the result as one line of JSON, without names')
    .addHelpText(
      'after',
      `
Needs CLIENTELE_SECRET_FILE: its key lets imports recognise the person by e-mail address and phone
number without keeping either. The login of imports has the rights it needs.
Exit code 3: erased, but a trace remains until an older transaction ends.`,
    )
    .action(erase);
}
