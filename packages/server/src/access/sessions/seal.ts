/** The content of our cookies, encrypted so that only the servers can read or create it. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface Session {
  /** Not secret. */
  id: string;
  /** 256 random bits, of which the database keeps the hash. */
  token: string;
  /** Milliseconds since the epoch, as from Date.now(). */
  startedAt: number;
  seenAt: number;
}

const cipher = 'aes-256-gcm';
const purpose = 'clientele session 2';

/** `<id>.<box>`. The id is readable, so one query answers everything about it. */
export function seal({ id, ...content }: Session, secret: Buffer): string {
  return `${id}.${closeBox(content, `${purpose} ${id}`, secret)}`;
}

const shape = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{40,400})$/;

export function sessionId(sealed: string): string | undefined {
  return shape.exec(sealed)?.[1];
}

/** Undefined unless it was sealed with this secret. */
export function unseal(sealed: string, secret: Buffer): Session | undefined {
  const [, id, box] = shape.exec(sealed) ?? [];
  if (id === undefined || box === undefined) return undefined;
  const content = openBox<Omit<Session, 'id'>>(box, `${purpose} ${id}`, secret);
  return content && { id, ...content };
}

/** Nonce, tag and ciphertext, in base64url. It can only be opened for the same purpose. */
export function closeBox(content: object, about: string, secret: Buffer): string {
  const nonce = randomBytes(12);
  const sealing = createCipheriv(cipher, secret, nonce);
  sealing.setAAD(Buffer.from(about));
  const text = Buffer.concat([sealing.update(JSON.stringify(content), 'utf8'), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), text]).toString('base64url');
}

export function openBox<T>(box: string, about: string, secret: Buffer): T | undefined {
  const bytes = Buffer.from(box, 'base64url');
  try {
    const opening = createDecipheriv(cipher, secret, bytes.subarray(0, 12), { authTagLength: 16 });
    opening.setAAD(Buffer.from(about));
    opening.setAuthTag(bytes.subarray(12, 28));
    const text = opening.update(bytes.subarray(28), undefined, 'utf8') + opening.final('utf8');
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
