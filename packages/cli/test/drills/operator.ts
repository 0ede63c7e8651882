/** What the restore drill works with, and the commands that an operator runs on a restored database. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Postgres } from '@clientele/sandbox';
import { clientele } from '../setup/executable.ts';
import type { Bars } from './bars.ts';

export interface RestoreDrill {
  bars: Bars;
  /** With pg_dump, which the PostgreSQL from npm lacks. */
  postgres: Postgres;
  /** For everything that is large; PostgreSQL's account can enter it. */
  folder: string;
  customers: number;
}

export interface Exported {
  sha256: string;
  bytes: number;
}

/** Exports all customers, and keeps only what two exports are compared by. */
export async function exportOf(url: string, folder: string): Promise<Exported> {
  const file = join(folder, 'customers.csv');
  const { code, stderr } = await clientele(['export', '--raw', '--quiet', '--output', file], {
    DATABASE_URL: url,
  });
  if (code !== 0) throw new Error(`export: exit code ${code}\n${stderr}`);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  await rm(file);
  return { sha256: hash.digest('hex'), bytes };
}

export async function compareExports(
  { bars, folder }: RestoreDrill,
  url: string,
  expected: Exported,
  when: string,
): Promise<void> {
  const { bytes, sha256 } = await exportOf(url, folder);
  bars.say(`exported ${bytes} bytes, SHA-256 ${sha256}`);
  bars.equal(`the export ${when} has the same bytes`, sha256 === expected.sha256, true);
}

/** Prints all that the doctor does not call ok. */
export async function consultDoctor(bars: Bars, url: string, when: string): Promise<void> {
  const { code, stdout } = await clientele(['doctor', '--quiet'], { DATABASE_URL: url });
  for (const line of stdout.trim().split('\n')) bars.say(`  doctor: ${line}`);
  bars.equal(`exit code of the doctor ${when}`, code, 0);
}

export async function migrate(url: string): Promise<void> {
  const { code, stderr } = await clientele(['migrate'], { DATABASE_URL: url });
  if (code !== 0) throw new Error(`migrate: exit code ${code}\n${stderr}`);
}
