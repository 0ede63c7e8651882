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
import { open, readFile } from 'node:fs/promises';

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
  const { searchKey, signingKey, publicKey } = createSecret();
  const content = {
    search_key: searchKey.toString('base64'),
    signing_key: signingKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  };
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return publicKey;
}

export async function readSecretFile(path: string): Promise<Secret> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new SecretError(
      `Cannot read the secret file ${path} (${cause.code}). Create one with: clientele secret create ${path}`,
      { cause },
    );
  });
  try {
    const { search_key, signing_key } = JSON.parse(text) as Record<string, string>;
    const searchKey = Buffer.from(search_key!, 'base64');
    const der = Buffer.from(signing_key!, 'base64');
    const signingKey = createPrivateKey({ key: der, type: 'pkcs8', format: 'der' });
    if (searchKey.length !== 32 || signingKey.asymmetricKeyType !== 'ed25519') throw new Error();
    return { searchKey, signingKey, publicKey: publicKeyOf(signingKey) };
  } catch {
    // The cause could quote the secret.
    throw new SecretError(
      `${path} is not a secret file. Restore it from a copy, or create another one with: clientele secret create`,
    );
  }
}

export function readPublicKey(text: string): PublicKey {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), type: 'spki', format: 'der' });
    if (key.asymmetricKeyType === 'ed25519') return describeKey(key);
  } catch {
    // Reported below.
  }
  throw new SecretError('This is not a public key as `clientele secret public-key` prints it.');
}

const publicKeyOf = (privateKey: KeyObject): PublicKey => describeKey(createPublicKey(privateKey));

function describeKey(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' });
  return { key, text: der.toString('base64'), id: hash('sha256', der).slice(0, 16) };
}

export const signText = (text: string, { signingKey }: Secret): Buffer =>
  sign(null, Buffer.from(text), signingKey);

export const isSigned = (text: string, signature: Buffer, { key }: PublicKey): boolean =>
  verify(null, Buffer.from(text), key, signature);
