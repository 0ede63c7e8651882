/** The content of the session cookie, encrypted so that only the servers can read or create it. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface Session {
  /** Not secret. Signing out stores it. */
  id: string;
  /** The access key used to sign in. Every request checks it again, as if it had been sent. */
  key: string;
  /** Milliseconds since the epoch, as from Date.now(). */
  startedAt: number;
  seenAt: number;
}

const cipher = 'aes-256-gcm';
const purpose = 'clientele session 1';

/** `<id>.<nonce, tag, ciphertext>`. The id is readable, so one query answers everything about it. */
export function seal({ id, ...content }: Session, secret: Buffer): string {
  const nonce = randomBytes(12);
  const sealing = createCipheriv(cipher, secret, nonce);
  sealing.setAAD(Buffer.from(`${purpose} ${id}`));
  const text = Buffer.concat([sealing.update(JSON.stringify(content), 'utf8'), sealing.final()]);
  return `${id}.${Buffer.concat([nonce, sealing.getAuthTag(), text]).toString('base64url')}`;
}

const shape = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{40,400})$/;

export function sessionId(sealed: string): string | undefined {
  return shape.exec(sealed)?.[1];
}

/** Undefined unless it was sealed with this secret. */
export function unseal(sealed: string, secret: Buffer): Session | undefined {
  const [, id, body] = shape.exec(sealed) ?? [];
  if (id === undefined || body === undefined) return undefined;
  const bytes = Buffer.from(body, 'base64url');
  try {
    const opening = createDecipheriv(cipher, secret, bytes.subarray(0, 12), { authTagLength: 16 });
    opening.setAAD(Buffer.from(`${purpose} ${id}`));
    opening.setAuthTag(bytes.subarray(12, 28));
    const text = opening.update(bytes.subarray(28), undefined, 'utf8') + opening.final('utf8');
    return { id, ...(JSON.parse(text) as Omit<Session, 'id'>) };
  } catch {
    return undefined;
  }
}
