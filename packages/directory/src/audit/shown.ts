/** The identifiers of customers as the audit has them: 16 bytes each. */

export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
