/** Recognises erased people among many customers. docs/decisions/suppression.md */
import type pg from 'pg';
import { readSecretFile } from '../../settings/secret.ts';
import { ContactHasher, suppressionHashes, suppressionKey } from './hashes.ts';

export class SuppressionError extends Error {
  override readonly name = 'SuppressionError';
}

/** A customer as a file or a feed has it. */
export interface Contact {
  uuid: string;
  email: string | null;
  phone: string | null;
}

type Client = Pick<pg.ClientBase, 'query'>;

/**
 * Who may be suppressed is found in memory, by 26 bits of a hash. Only those few are looked up in the database, so a
 * suppression counts as soon as it is committed, and one that is lifted no longer does.
 */
export class Suppressions {
  readonly #secretFile: string | undefined;
  #hasher: ContactHasher | undefined;
  readonly #hashes = new BitSet();
  readonly #uuids = new BitSet();
  /** The last suppression that was read. */
  #last = '0';

  private constructor(secretFile: string | undefined) {
    this.#secretFile = secretFile;
  }

  /** The file is read only if somebody is suppressed. */
  static async open(client: Client, secretFile: string | undefined): Promise<Suppressions> {
    const suppressions = new Suppressions(secretFile);
    await suppressions.#readErased(client);
    await suppressions.update(client);
    return suppressions;
  }

  /** Reads what was added since the last time. Returns whether that was something. */
  async update(client: Client): Promise<boolean> {
    const { rows } = await client.query<{ last: string | null; hashes: Buffer; uuids: Buffer }>(
      `select max(s.number) as last, string_agg(substr(s.hash, 1, 4), '') as hashes,
         coalesce(string_agg(substr(uuid_send(e.uuid), 13), ''), '') as uuids
       from clientele.suppressions as s
       left join clientele.erasures as e on s.kind = 'uuid' and e.id = s.erasure
       where s.number > $1`,
      [this.#last],
    );
    const { last, hashes, uuids } = rows[0]!;
    if (last === null) return false;
    this.#hasher ??= new ContactHasher(await this.#key(client));
    this.#hashes.addAll(hashes);
    this.#uuids.addAll(uuids);
    this.#last = last;
    return true;
  }

  /** Those who may be suppressed. */
  screen(contacts: Iterable<Contact & { position: number }>): Screened {
    const screened = this.startScreening();
    for (const each of contacts) this.screenOne(each, each.position, screened);
    return screened;
  }

  startScreening(): Screened {
    return { suspects: [], upTo: this.#last };
  }

  /** Adds the customer to the suspects if they may be suppressed. Looks only in memory. */
  screenOne({ uuid, email, phone }: Contact, position: number, { suspects }: Screened): void {
    const isLikely = this.#hasher?.someMark(email, phone, this.#isMarked) ?? false;
    if (!isLikely && !this.#uuids.has(lastBits(uuid))) return;
    const hashes = isLikely ? this.#hasher!.hashes(email, phone) : [];
    suspects.push({ position, contact: { uuid, email, phone }, hashes });
  }

  readonly #isMarked = (mark: number): boolean => this.#hashes.has(mark >>> (32 - bits));

  /** Whether suppressions were added since. */
  isOutdated({ upTo }: Screened): boolean {
    return upTo !== this.#last;
  }

  /**
   * The positions of those that are suppressed. Not by an address or number that the customer of that identifier has
   * already: some people share one, and that is no reason to lose the others.
   */
  async find(client: Client, { suspects }: Screened): Promise<number[]> {
    if (suspects.length === 0) return [];
    const matches = await matchesOf(client, suspects);
    const erased = await erasedOf(client, suspects, (uuid) => this.#uuids.has(lastBits(uuid)));
    const byContact = suspects.filter(({ hashes }) => hashes.some((hash) => matches.has(hash)));
    const shared = byContact.length === 0 ? new Map() : await this.#shared(client, byContact);
    return suspects
      .filter(({ contact: { uuid }, hashes }) => {
        if (erased.has(uuid)) return true;
        const found = hashes.map((hash) => matches.get(hash)).filter((each) => each !== undefined);
        return found.some((match) => !shared.get(uuid)?.has(match));
      })
      .map(({ position }) => position);
  }

  /** Of customers that are there: what they share with erased people. */
  async #shared(
    client: Client,
    suspects: readonly Suspect[],
  ): Promise<Map<string, Set<string | undefined>>> {
    const { rows } = await client.query<Contact>(
      `select c.uuid, c.email_address as email, c.phone_number as phone
       from public.customers as c where c.uuid = any ($1::uuid[])`,
      [suspects.map(({ contact }) => contact.uuid)],
    );
    const known = rows.map(({ uuid, email, phone }) => {
      return { uuid, hashes: this.#hasher?.hashes(email, phone) ?? [] };
    });
    const matches = await matchesOf(client, known);
    return new Map(
      known.map(({ uuid, hashes }) => [uuid, new Set(hashes.map((hash) => matches.get(hash)))]),
    );
  }

  /** Also those that were erased without the secret. */
  async #readErased(client: Client): Promise<void> {
    const { rows } = await client.query<{ uuids: Buffer }>(
      `select coalesce(string_agg(substr(uuid_send(g.uuid), 13), ''), '') as uuids
       from clientele.gone_customers as g where g.gone_at = 'infinity'`,
    );
    this.#uuids.addAll(rows[0]!.uuids);
  }

  async #key(client: Client): Promise<Buffer> {
    if (this.#secretFile === undefined) {
      throw new SuppressionError(
        'People were erased from this directory. To keep them out, this command needs the secret that they were ' +
          'erased with: set CLIENTELE_SECRET_FILE to the file that clientele secret create wrote.',
      );
    }
    const key = suppressionKey(await readSecretFile(this.#secretFile));
    await checkSuppressionKey(client, key);
    return key;
  }
}

/** By hash, for those that are suppressed: the erasure, and whether it is an address or a number. */
async function matchesOf(
  client: Client,
  some: readonly Pick<Suspect, 'hashes'>[],
): Promise<Map<string, string>> {
  const hashes = some.flatMap((each) => each.hashes.map((hash) => Buffer.from(hash, 'hex')));
  if (hashes.length === 0) return new Map();
  const { rows } = await client.query<{ hash: string; match: string }>(
    `select encode(s.hash, 'hex') as hash, s.erasure || s.kind as match from clientele.suppressions as s
     where s.hash = any ($1::bytea[]) and s.lifted_at is null`,
    [hashes],
  );
  return new Map(rows.map(({ hash, match }) => [hash, match]));
}

async function erasedOf(
  client: Client,
  suspects: readonly Suspect[],
  isLikely: (uuid: string) => boolean,
): Promise<Set<string>> {
  const uuids = suspects.map(({ contact }) => contact.uuid).filter(isLikely);
  if (uuids.length === 0) return new Set();
  const { rows } = await client.query<{ uuid: string }>(
    `select g.uuid from clientele.gone_customers as g
     where g.uuid = any ($1::uuid[]) and g.gone_at = 'infinity'`,
    [uuids],
  );
  return new Set(rows.map(({ uuid }) => uuid));
}

export interface SuppressedIdentifier {
  uuid: string;
  hash: Buffer;
}

/** The latest one: by the hash of a known identifier, the key can be checked. */
export const latestIdentifier = `
  select e.uuid, s.hash from clientele.suppressions as s
  join clientele.erasures as e on e.id = s.erasure
  where s.kind = 'uuid'
  order by s.number desc
  limit 1`;

/** Throws unless the identifier, if there is one, was hashed with this key. */
export function expectKey(key: Buffer, identifier: SuppressedIdentifier | undefined): void {
  if (!identifier) return;
  const { uuid, hash } = identifier;
  if (suppressionHashes(key, { uuid })[0]!.hash.equals(hash)) return;
  throw new SuppressionError(
    'CLIENTELE_SECRET_FILE is not the secret that people were erased with, so they would not be recognised. ' +
      'Use the file that the other instances and commands use, or restore it from a copy.',
  );
}

export async function checkSuppressionKey(client: Client, key: Buffer): Promise<void> {
  expectKey(key, (await client.query<SuppressedIdentifier>(latestIdentifier)).rows[0]);
}

export interface Screened {
  suspects: Suspect[];
  /** The last suppression that was known. */
  upTo: string;
}

interface Suspect {
  position: number;
  contact: Contact;
  hashes: string[];
}

const bits = 26;
const lastBits = (uuid: string): number => parseInt(uuid.slice(-8), 16) >>> (32 - bits);

/** A set of numbers of 26 bits. */
class BitSet {
  readonly #words = new Uint32Array(2 ** (bits - 5));

  /** The first bits of each four bytes. */
  addAll(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += 4) {
      const n = bytes.readUInt32BE(at) >>> (32 - bits);
      this.#words[n >>> 5]! |= 1 << (n & 31);
    }
  }

  has(n: number): boolean {
    return (this.#words[n >>> 5]! & (1 << (n & 31))) !== 0;
  }
}
