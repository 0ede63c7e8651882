/** The secret file: a new signing key leaves what was signed and hashed before as it is. */
import { stat } from 'node:fs/promises';
import {
  createSecretFile,
  readPublicKey,
  readSecretFile,
  rotateSecretFile,
} from '@clientele/directory';
import { temporaryFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { isGenuine, Checkpoints, type Checkpoint } from '../src/audit/checkpoints.ts';
import { createSecret, type Secret } from '../src/settings/secret.ts';
import { lookupHashes, suppressionHashes, suppressionKey } from '../src/privacy/erasure/hashes.ts';

/** As an instance with this secret signs it. */
async function checkpointBy(secret: Secret): Promise<Checkpoint> {
  let signed: Checkpoint | undefined;
  const end = { chain: 'c', number: 1, hash: Buffer.alloc(32) };
  const checkpoints = new Checkpoints({
    secret,
    primary: { query: async () => [] },
    log: {
      info: (about: { audit_checkpoint: Checkpoint }) => void (signed = about.audit_checkpoint),
      warn: () => undefined,
    },
    end: () => end,
  });
  await checkpoints.check({ others: false });
  return signed!;
}

test('after two rotations, checkpoints of all three keys are genuine, and no others', async () => {
  await using folder = await temporaryFolder();
  const path = folder.path('secret');
  await createSecretFile(path);
  const secrets = [await readSecretFile(path)];
  for (let n = 1; n <= 2; n += 1) {
    await rotateSecretFile(path);
    secrets.push(await readSecretFile(path));
  }
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(new Set(secrets.map(({ publicKey }) => publicKey.id)).size).toBe(3);
  const { publicKey } = secrets.at(-1)!;
  const given = [publicKey, ...publicKey.earlier].map(({ text }) => text).join(',');
  for (const secret of secrets) {
    const checkpoint = await checkpointBy(secret);
    expect(isGenuine(checkpoint, publicKey)).toBe(true);
    expect(isGenuine(checkpoint, readPublicKey(given)), 'on the command line').toBe(true);
    expect(isGenuine({ ...checkpoint, number: 2 }, publicKey)).toBe(false);
  }
  expect(isGenuine(await checkpointBy(secrets[2]!), secrets[0]!.publicKey)).toBe(false);
  expect(isGenuine(await checkpointBy(createSecret()), publicKey)).toBe(false);
});

test('whoever was erased before a rotation is recognised after it', async () => {
  await using folder = await temporaryFolder();
  const path = folder.path('secret');
  await createSecretFile(path);
  const before = suppressionKey(await readSecretFile(path));
  await rotateSecretFile(path);
  const after = suppressionKey(await readSecretFile(path));
  const person = { email: 'anna@example.com' };
  expect(lookupHashes(after, person)).toEqual(suppressionHashes(before, person));
});

test('a file that cannot be read is to be restored before anybody thinks of a new one', async () => {
  await using folder = await temporaryFolder();
  const missing = readSecretFile(folder.path('missing'));
  await expect(missing).rejects.toThrow(/ENOENT.*restore it from a copy.*clientele secret create/);
  await expect(rotateSecretFile(folder.path('missing'))).rejects.toThrow(/restore it from a copy/);
});
