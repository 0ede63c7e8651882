/**
 * The secret of an installation, in a file: the key of the search hashes and the key that signs checkpoints. It is
 * not in the database, so that whoever can write to the database can neither guess searches nor sign.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  randomBytes,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { closeSync, fsyncSync, renameSync, rmSync, writeSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { createPrivateFile } from './private-file.ts';

export interface Secret {
  searchKey: Buffer;
  signingKey: KeyObject;
  publicKey: PublicKey;
}

export interface PublicKey {
  key: KeyObject;
  /** Base64 of its DER form, as `clientele secret create` prints it. */
  text: string;
  /** The beginning of its hash: names it in checkpoints. */
  id: string;
  /** Those that were in use before `clientele secret rotate`: what they signed stays genuine. */
  earlier: readonly PublicKey[];
}

export class SecretError extends Error {
  override readonly name = 'SecretError';
}

export function createSecret(): Secret {
  const { privateKey: signingKey } = generateKeyPairSync('ed25519');
  return { searchKey: randomBytes(32), signingKey, publicKey: publicKeyOf(signingKey) };
}

/** Creates the file, readable by its owner only. Never overwrites one. */
export async function createSecretFile(path: string): Promise<PublicKey> {
  const secret = createSecret();
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(toText(secret));
    await file.sync();
  } finally {
    await file.close();
  }
  return secret.publicKey;
}

/**
 * Replaces the key that signs. The other one stays: by it, earlier searches are compared and erased people are
 * recognised, and nobody can compute those hashes again.
 */
export async function rotateSecretFile(path: string): Promise<PublicKey> {
  const { searchKey, publicKey: replaced } = await readSecretFile(path);
  const { signingKey, publicKey } = createSecret();
  const earlier = [{ ...replaced, earlier: [] }, ...replaced.earlier];
  const secret = { searchKey, signingKey, publicKey: { ...publicKey, earlier } };
  const { file, partial } = createPrivateFile(path);
  try {
    writeSync(file, toText(secret));
    fsyncSync(file);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return secret.publicKey;
}

function toText({ searchKey, signingKey, publicKey: { earlier } }: Secret): string {
  const content = {
    search_key: searchKey.toString('base64'),
    signing_key: signingKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    ...(earlier.length > 0 && { earlier_public_keys: earlier.map(({ text }) => text) }),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

export async function readSecretFile(path: string): Promise<Secret> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new SecretError(
      `Cannot read the secret file ${path} (${cause.code}). If there was one, mount it, make it readable or restore ` +
        'it from a copy: a new one does not recognise who was erased. Only a new installation needs: ' +
        `clientele secret create ${path}`,
      { cause },
    );
  });
  try {
    const {
      search_key,
      signing_key,
      earlier_public_keys = [],
    } = JSON.parse(text) as {
      search_key: string;
      signing_key: string;
      earlier_public_keys?: string[];
    };
    const searchKey = Buffer.from(search_key, 'base64');
    const der = Buffer.from(signing_key, 'base64');
    const signingKey = createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
    if (searchKey.length !== 32 || signingKey.asymmetricKeyType !== 'ed25519') throw new Error();
    const earlier = earlier_public_keys.map(readPublicKey);
    return { searchKey, signingKey, publicKey: { ...publicKeyOf(signingKey), earlier } };
  } catch {
    // The cause could quote the secret.
    throw new SecretError(
      `${path} is not a secret file. Restore it from a copy, or create another one with: clientele secret create`,
    );
  }
}

/** Several are separated by commas, the latest first. */
export function readPublicKey(text: string): PublicKey {
  const [latest = '', ...earlier] = text.split(',');
  try {
    const der = Buffer.from(latest, 'base64');
    const key = createPublicKey({ key: der, type: 'spki', format: 'der' });
    if (key.asymmetricKeyType === 'ed25519') {
      return { ...describeKey(key), earlier: earlier.map(readPublicKey) };
    }
  } catch {
    // Reported below.
  }
  throw new SecretError('This is not a public key as `clientele secret public-key` prints it.');
}

const publicKeyOf = (privateKey: KeyObject): PublicKey => describeKey(createPublicKey(privateKey));

function describeKey(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' });
  return { key, text: der.toString('base64'), id: hash('sha256', der).slice(0, 16), earlier: [] };
}

export const signText = (text: string, { signingKey }: Secret): Buffer =>
  sign(null, Buffer.from(text), signingKey);

/** By the key, or by one that it replaced. */
export const isSigned = (text: string, signature: Buffer, { key, earlier }: PublicKey): boolean =>
  verify(null, Buffer.from(text), key, signature) ||
  earlier.some((each) => isSigned(text, signature, each));

export const idsOf = ({ id, earlier }: PublicKey): string[] => [id, ...earlier.flatMap(idsOf)];
