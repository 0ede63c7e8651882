import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { appendFile, chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder, type TemporaryFolder } from '@clientele/sandbox/testing';
import {
  createSecret,
  createSecretFile,
  readSecretFile,
  type Secret,
} from '../src/settings/secret.ts';
import {
  Ledger,
  LedgerError,
  type ErasureEntry,
  type LiftEntry,
} from '../src/privacy/erasure/ledger.ts';

let folder: TemporaryFolder;
let path: string;
let secret: Secret;
let ledger: Ledger;
beforeEach(async () => {
  folder = await temporaryFolder();
  path = folder.path('erasures.ledger');
  secret = createSecret();
  ledger = await Ledger.open(path, secret);
});
afterEach(() => folder[Symbol.asyncDispose]());

const erasure = (reason = 'asked by letter'): ErasureEntry => ({
  type: 'erasure',
  id: randomUUID(),
  uuid: randomUUID(),
  erasedAt: new Date('2026-11-16T10:00:00.123Z'),
  reason,
  hashes: [
    { kind: 'uuid', hash: randomBytes(32) },
    { kind: 'email', hash: randomBytes(32) },
  ],
});

const lift = (hash: Buffer): LiftEntry => ({
  type: 'lift',
  hash,
  uuid: randomUUID(),
  liftedAt: new Date('2026-11-17T10:00:00.000Z'),
  reason: 'is a customer again',
});

test('everything appended is read again, in order, by another process with the secret', async () => {
  const first = erasure('a reason with "quotes", \\ and é');
  const entries = [first, lift(first.hashes[0]!.hash), erasure()];
  await ledger.append(entries.slice(0, 1));
  await ledger.append(entries.slice(1));
  const other = await Ledger.open(path, secret, { mustExist: true });
  expect(await other.read()).toEqual(entries);
});

test('the file is private, and so is one that was readable by others', async () => {
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o644);
  await Ledger.open(path, secret);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a symbolic link is never followed', async () => {
  const link = folder.path('link');
  const target = folder.path('target');
  await symlink(target, link);
  await expect(Ledger.open(link, secret)).rejects.toThrow(/symbolic link/);
  await expect(stat(target)).rejects.toThrow('ENOENT');
});

test('a ledger that must exist is not created', async () => {
  const missing = folder.path('missing');
  await expect(Ledger.open(missing, secret, { mustExist: true })).rejects.toThrow(/does not exist/);
  await expect(stat(missing)).rejects.toThrow('ENOENT');
});

test('the ledger is not readable with another secret', async () => {
  await ledger.append([erasure()]);
  const other = await Ledger.open(path, createSecret());
  await expect(other.read()).rejects.toThrow(/Line 1 .* another secret/);
});

describe('a ledger of five lines', () => {
  const entries = Array.from({ length: 5 }, (_, i) => erasure(`number ${i + 1}`));
  let lines: string[];
  beforeEach(async () => {
    await ledger.append(entries);
    lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  });
  const rewrite = (changed: string[]) =>
    writeFile(path, changed.map((line) => `${line}\n`).join(''));

  test('shows a change to any line', async () => {
    for (const [i, line] of lines.entries()) {
      await rewrite(lines.with(i, line.replace('number', 'Number')));
      await expect(ledger.read(), `line ${i + 1}`).rejects.toThrow(LedgerError);
    }
  });

  test('shows that a line was removed from among others', async () => {
    for (let i = 0; i < 4; i += 1) {
      await rewrite(lines.toSpliced(i, 1));
      await expect(ledger.read(), `without line ${i + 1}`).rejects.toThrow(LedgerError);
    }
  });

  test('shows that a line was made unreadable, the last one included', async () => {
    for (let i = 0; i < 5; i += 1) {
      await rewrite(lines.with(i, 'x'));
      await expect(ledger.read(), `line ${i + 1}`).rejects.toThrow(LedgerError);
    }
  });

  test('can be used after a crash in the middle of any line', async () => {
    const [whole, last] = [lines.slice(0, 4), lines[4]!];
    for (const length of [0, 1, 20, last.length - 1, last.length]) {
      await rewrite(whole);
      await appendFile(path, last.slice(0, length));
      expect(await ledger.read()).toEqual(entries.slice(0, 4));
      await ledger.append([entries[4]!]);
      await ledger.append([entries[3]!]);
      const read = await ledger.read();
      expect(read.slice(-2), `${length} bytes`).toEqual([entries[4], entries[3]]);
    }
  });

  test('finds its last line behind something long that is incomplete', async () => {
    await appendFile(path, 'x'.repeat(200_000));
    await ledger.append([entries[0]!]);
    expect(await ledger.read()).toEqual([...entries, entries[0]]);
  });
});

test('processes that append at the same time lose nothing', async () => {
  const secretFile = folder.path('secret');
  await createSecretFile(secretFile);
  const shared = folder.path('shared.ledger');
  const program = `
    import { readSecretFile } from '${new URL('../src/settings/secret.ts', import.meta.url)}';
    import { Ledger } from '${new URL('../src/privacy/erasure/ledger.ts', import.meta.url)}';
    const ledger = await Ledger.open(${JSON.stringify(shared)}, await readSecretFile(${JSON.stringify(secretFile)}));
    for (let i = 0; i < 50; i += 1) {
      await ledger.append([{ type: 'erasure', id: process.pid + '-' + i, uuid: '', erasedAt: new Date(), reason: '', hashes: [] }]);
    }`;
  const start = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  await Promise.all([start(), start(), start()]);
  const read = await (await Ledger.open(shared, await readSecretFile(secretFile))).read();
  expect(new Set(read.map((entry) => (entry as ErasureEntry).id)).size).toBe(150);
});
