import { describe, expect, it } from 'vitest';
import { createSecret } from '../src/settings/secret.ts';
import {
  ContactHasher,
  lookupHashes,
  suppressionHashes,
  suppressionKey,
  type Identifiers,
} from '../src/privacy/erasure/hashes.ts';

const key = suppressionKey(createSecret());

function recognises(erased: Identifiers, found: Identifiers): boolean {
  const stored = new Set(suppressionHashes(key, erased).map(({ hash }) => hash.toString('hex')));
  return lookupHashes(key, found).some(({ hash }) => stored.has(hash.toString('hex')));
}

const samePhone = (erased: string, found: string): boolean =>
  recognises({ phone: erased }, { phone: found });

describe('suppression hashes', () => {
  it('are of 32 bytes, depend on the secret, and do not hold the text', () => {
    const person = {
      uuid: '0193a1b2-0000-7000-8000-000000000001',
      email: 'anna@example.com',
      phone: '+44 20 7946 0123',
    };
    const hashes = suppressionHashes(key, person);
    expect(hashes.map(({ kind }) => kind)).toEqual(['uuid', 'email', 'phone', 'phone']);
    expect(hashes.every(({ hash }) => hash.length === 32)).toBe(true);
    expect(suppressionHashes(key, person)).toEqual(hashes);
    expect(suppressionHashes(suppressionKey(createSecret()), person)).not.toEqual(hashes);
  });

  it('of a search key and of suppressions have different keys', () => {
    const secret = createSecret();
    expect(suppressionKey(secret)).not.toEqual(secret.searchKey);
  });

  it('are the same for one customer and for many', () => {
    const [email, phone] = ['Anna@Example.com', '12025550123'];
    const hasher = new ContactHasher(key);
    const many = hasher.hashes(email, phone);
    expect(many).toEqual(
      lookupHashes(key, { email, phone }).map(({ hash }) => hash.toString('hex')),
    );
    expect(hasher.hashes(email, null)).toEqual(many.slice(0, 1));
  });

  it('have the mark by which they are found, in every spelling that matches', () => {
    const hasher = new ContactHasher(key);
    for (const [erased, found] of [
      [{ phone: '+44 20 7946 0123' }, { phone: '020 7946 0123' }],
      [{ phone: '020 7946 0123' }, { phone: '+44 (0)20 7946 0123' }],
      [{ phone: '+1 202-555-0123' }, { phone: '12025550123' }],
      [{ phone: '020 7946 0123' }, { phone: '0161 496 0124; 020 7946 0123' }],
      [{ email: 'anna@mail.example' }, { email: 'mailto:anna@mail.example.' }],
      [{ email: 'anna@Bücher.example' }, { email: 'ANNA@xn--bcher-kva.example' }],
      [{ email: 'jürgen@mail.example' }, { email: 'JÜRGEN@mail.example' }],
    ]) {
      const marks = new Set(
        suppressionHashes(key, erased!).map(({ hash }) => hash.readUInt32BE(0)),
      );
      const { email = null, phone = null } = found as { email?: string; phone?: string };
      expect(hasher.someMark(email, phone, (mark) => marks.has(mark))).toBe(true);
      expect(hasher.someMark('ben@mail.example', '+44 20 7946 0999', (m) => marks.has(m))).toBe(
        false,
      );
    }
  });

  it('keep the kinds apart', () => {
    expect(recognises({ email: '02079460123' }, { phone: '02079460123' })).toBe(false);
  });

  it('are none for what is missing', () => {
    expect(suppressionHashes(key, {})).toEqual([]);
    expect(suppressionHashes(key, { email: ' ', phone: null })).toEqual([]);
  });
});

describe('an e-mail address', () => {
  it.each([
    'ANNA@example.COM',
    ' anna@example.com\t',
    'anna\u200B@example.com',
    'ａｎｎａ@example.com',
    'anna@example.com.',
    'mailto:Anna@example.com',
    'mailto:anna@example.com?subject=Hello',
    '"anna"@example.com',
    'Anna Example <anna@example.com>',
    'ben@mail.example; anna@example.com',
  ])('is recognised as %j', (spelling) => {
    expect(recognises({ email: 'anna@example.com' }, { email: spelling })).toBe(true);
    expect(recognises({ email: spelling }, { email: 'anna@example.com' })).toBe(true);
  });

  it.each([
    ['anna@Bücher.example', 'anna@xn--bcher-kva.example'],
    ['Anna <anna@müller.example>', 'anna@müller.example'],
    ['Anna <anna@müller.example>', 'anna@xn--mller-kva.example'],
    ['Jürgen <anna@müller.example>', 'mailto:anna@xn--mller-kva.example'],
    ['anna@müller.example; ben@x.example', 'anna@müller.example'],
    ['anna@müller.example; ben@x.example', 'anna@xn--mller-kva.example'],
    ['ben@x.example, anna@müller.example.', 'anna@müller.example'],
    ['mailto:anna@müller.example?subject=Hello', 'anna@müller.example'],
    ['anna@müller.example。', 'anna@müller.example'],
    ['anna@a.example。', 'anna@a.example'],
    ['anna@a.example / anna@b.example', 'anna@a.example'],
    ['anna@a.example / anna@b.example', 'anna@b.example'],
    ['anna@a.example/anna@b.example', 'anna@a.example'],
    ['anna@a.example/anna@b.example', 'anna@b.example'],
    ['anna@a.example anna@b.example', 'anna@a.example'],
    ['anna@a.example\u00A0anna@b.example', 'anna@b.example'],
    ['anna@a.example | anna@b.example', 'anna@a.example'],
    ['anna@a.example|anna@b.example', 'anna@b.example'],
    ['anna@a.example & anna@b.example', 'anna@a.example'],
    ['anna@a.example & anna@b.example', 'anna@b.example'],
    ['anna@a.example and anna@b.example', 'anna@b.example'],
    ['anna @ a.example ben @ b.example', 'anna@a.example'],
    ['anna@a.example / 020 7946 0123', 'anna@a.example'],
    ['"an na"@a.example ben@b.example', 'anna@a.example'],
    ['an na@a.exa mple', 'anna@a.example'],
    ['r&d@a.example / ben@b.example', 'r&d@a.example'],
    ['a/b|c@a.example', 'A/B|C@a.example'],
  ])('is recognised whether %j was erased and %j comes, or the other way round', (a, b) => {
    expect(recognises({ email: a }, { email: b })).toBe(true);
    expect(recognises({ email: b }, { email: a })).toBe(true);
  });

  it.each([
    ['r&d@a.example', 'd@a.example'],
    ['r&d@a.example / ben@b.example', 'd@a.example'],
    ['r/d@a.example', 'd@a.example'],
    ['r|d@a.example', 'd@a.example'],
    ['anna@a.example / ben@b.example', 'anna@b.example'],
    ['anna@a.example ben@b.example', 'ben@a.example'],
    ['anna@a.example and ben@b.example', 'carl@a.example and dora@b.example'],
    ['Anna <anna@müller.example>', 'Anna <anna@mueller.example>'],
    ['Anna / <ben@a.example>', 'Anna / <carl@a.example>'],
    ['anna?b@a.example; ben@b.example', 'anna?c@a.example; carl@b.example'],
  ])('%j is not mistaken for %j', (a, b) => {
    expect(recognises({ email: a }, { email: b })).toBe(false);
    expect(recognises({ email: b }, { email: a })).toBe(false);
  });

  it.each([
    'anna.b@example.com',
    'anna@example.org',
    'hanna@example.com',
    'anna+shop@example.com',
    'аnna@example.com', // Cyrillic
    '"anna.b"@example.com',
  ])('is not mistaken for %j', (other) => {
    expect(recognises({ email: 'anna@example.com' }, { email: other })).toBe(false);
  });
});

describe('a phone number', () => {
  it.each([
    ['+44 20 7946 0123', '+44 (0)20 7946 0123'],
    ['+44 20 7946 0123', '0044-20-7946-0123'],
    ['+44 20 7946 0123', '020 7946 0123'],
    ['+44 20 7946 0123', '(020) 79460123'],
    ['+44 20 7946 0123', '442079460123'],
    ['+44 20 7946 0123', 'tel:+44.20.7946.0123 ext. 12'],
    ['+44 20 7946 0123', '＋４４２０７９４６０１２３'],
    ['+1 202-555-0123', '(202) 555-0123'],
    ['+1 202-555-0123', '1 202 555 0123 x77'],
    ['+33 1 99 00 12 34', '01.99.00.12.34'],
    ['+353 20 915 0123', '020 915 0123'],
    ['+44 20 7946 0123', '+٤٤ ٢٠ ٧٩٤٦ ٠١٢٣'],
    ['+91 11 9999 0123', '०११ ९९९९ ०१२३'],
    ['+44 20 7946 0123', '011 44 20 7946 0123'],
    ['+44 20 7946 0123', '+0044 20 7946 0123'],
    ['+91 11 9999 0123', '011 9999 0123'],
    ['+44 20 7946 0123', '020 7946 0123 / 0161 496 0124'],
    ['+44 20 7946 0123', '+44 161 496 0124 +44 20 7946 0123'],
    ['+44 20 7946 0123', '0161 496 0124 or 020 7946 0123'],
    ['+49 30 99990123', '030/9999 0123'],
    ['+46 8 12 34 56', '08-12 34 56'],
    ['+46 8 12 34 56', '0046 8 12 34 56'],
    ['+49 30 12345', '030 12345'],
    ['+49 30 12345', '030/12345'],
  ])('is recognised whether %j was erased and %j comes, or the other way round', (a, b) => {
    expect(samePhone(a, b)).toBe(true);
    expect(samePhone(b, a)).toBe(true);
  });

  it.each([
    ['+33 6 39 98 12 34', '+34 6 39 98 12 34'],
    ['+44 20 7946 0123', '020 7946 0124'],
    ['+1 202-555-0123', '+1 303-555-0123'],
    ['020 7946 0123 / 020 7946 0124', '020 7946 0125'],
    ['030/9999 0123', '+65 9999 0123'],
    ['+46 8 12 34 56', '+47 8 12 34 56'],
    ['+46 8 12 34 56', '8 12 34 56'],
    ['08-12 34 56', '8 12 34 56'],
    ['08-12 34 56', '09-12 34 56'],
    ['0555 0123', '555 0123'],
  ])('%j is not mistaken for %j', (a, b) => {
    expect(samePhone(a, b)).toBe(false);
    expect(samePhone(b, a)).toBe(false);
  });

  it.each([
    '',
    'none',
    '555 0123',
    '055 0123',
    '0046 1234',
    '+46 (0)8 1234',
    '01111111',
    '01234567',
    '000 000 0000',
    '+00',
    '1111111111',
    '1234567890',
    '+1 1111111111',
  ])('is not suppressed if it is %j, which many people may have', (placeholder) => {
    expect(suppressionHashes(key, { phone: placeholder })).toEqual([]);
  });
});
