import { open } from 'node:fs/promises';
import {
  type Asked,
  isUuid,
  readAuditSettings,
  readSecretFile,
  readSightings,
  readSubject,
  recordAction,
  suppressionKey,
} from '@clientele/directory';
import { Command } from 'commander';
import type pg from 'pg';
import { withDatabase } from '../database.ts';
import { CommandError } from '../explain.ts';
import { toHtml, toText, type SubjectReport } from '../subject-report.ts';

interface SubjectOptions {
  email?: string;
  html?: string;
  json?: boolean;
}

async function subject(uuid: string | undefined, options: SubjectOptions): Promise<void> {
  const asked = readAsked(uuid, options.email);
  const report = await withDatabase(async (client): Promise<SubjectReport> => {
    const found = await readSubject(client, asked, await readKey(client));
    // First, so that the report has this run in it.
    if (readAuditSettings(process.env)) await recordAction(client, 'subject', found.uuids);
    const seen = await readSightings(client, found.uuids);
    return { at: new Date().toISOString(), ...found, seen };
  });
  if (options.html !== undefined) await writePage(options.html, toHtml(report));
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else if (options.html === undefined) process.stdout.write(toText(report));
  if (report.customers.length > 1) process.stderr.write(several);
}

const several =
  'Several customers are in this report. If they are different people, report on each by its UUID.\n';

function readAsked(uuid: string | undefined, email: string | undefined): Asked {
  if (uuid !== undefined && email === undefined) {
    if (isUuid(uuid)) return { uuid: uuid.toLowerCase() };
    throw new CommandError('Not the UUID of a customer. To find them by address, use --email.');
  }
  if (uuid === undefined && email?.includes('@')) return { email: email.trim() };
  throw new CommandError('Say who it is: either a UUID, or --email with an address.');
}

/** Erased people are found by their address through hashes. Without erasures, the key is not needed. */
async function readKey(client: pg.Client): Promise<Buffer | undefined> {
  const path = process.env['CLIENTELE_SECRET_FILE'];
  if (path) return suppressionKey(await readSecretFile(path));
  const { rows } = await client.query('select from clientele.suppressions limit 1');
  if (rows.length === 0) return undefined;
  throw new CommandError(
    'People were erased here, who are found by their address with a key. Set CLIENTELE_SECRET_FILE to the file that has it.',
  );
}

const writeErrors: Record<string, string> = {
  EEXIST: 'it exists.',
  ENOENT: 'its folder does not exist.',
  EACCES: 'you do not have permission to write there.',
  EROFS: 'its file system is read-only.',
};

/** A new file that only its owner can read; never through a link. */
async function writePage(path: string, page: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const reason = writeErrors[error.code ?? ''];
    throw reason === undefined ? error : new CommandError(`Cannot create ${path}: ${reason}`);
  });
  try {
    await file.writeFile(page);
  } finally {
    await file.close();
  }
}

export function subjectCommand(): Command {
  return new Command('subject')
    .description(
      'report everything that is held about a person; run it as the owner of the database',
    )
    .argument('[uuid]', 'the customer')
    .option(
      '--email <address>',
      'everyone who has this address, had it recently, or had it when erased',
    )
    .option('--html <file>', 'write a page to hand over, to a new file that only you can read')
    .option('--json', 'print the report as one line of JSON')
    .addHelpText(
      'after',
      `
The report has the record, its places in sorted lists, its entries in the change log and in the queue
of unchecked customers, tombstones, erasures and suppressions, statistics of the database, console
users with this address, and everybody who saw the record. Other customers who were in the same
responses are left out. The run itself is recorded in the audit.`,
    )
    .action(subject);
}
