/** The identifiers of the customers in a JSON text, without parsing it. */

/**
 * How the JSON of a customer begins: customers/to-wire.ts. It cannot be part of a value, because JSON escapes the
 * quotes within a text.
 */
const beginning = Buffer.from('{"uuid":"');
const noCustomers = Buffer.alloc(0);

/** Identical requests get the same bytes: they are read once. */
const known = new WeakMap<Buffer, Buffer>();

/** 16 bytes for each customer. */
export function customersIn(json: Buffer): Buffer {
  let found = known.get(json);
  if (!found) known.set(json, (found = readCustomers(json)));
  return found;
}

function readCustomers(json: Buffer): Buffer {
  const starts: number[] = [];
  for (let at = json.indexOf(beginning); at !== -1; at = json.indexOf(beginning, at + 46)) {
    starts.push(at + beginning.length);
  }
  if (starts.length === 0) return noCustomers;
  const found = Buffer.allocUnsafeSlow(16 * starts.length);
  let end = 0;
  for (const start of starts) end = writeUuid(found, end, json, start);
  return found;
}

const dash = 0x2d;

/** Copies 36 characters to 16 bytes, and returns where they end. */
function writeUuid(to: Buffer, end: number, from: Buffer, start: number): number {
  let at = end;
  for (let i = start; i < start + 36; i += 2) {
    if (from[i] === dash) i += 1;
    to[at] = (digit(from[i]!) << 4) | digit(from[i + 1]!);
    at += 1;
  }
  return at;
}

/** The value of 0-9 or a-f. */
const digit = (code: number): number => (code < 0x3a ? code - 0x30 : code - 0x57);

export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

export function uuidsOf(customers: Buffer): string[] {
  return Array.from({ length: customers.length / 16 }, (_, i) =>
    customers
      .toString('hex', 16 * i, 16 * i + 16)
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  );
}

/** The total of a list, which ends with it, unless it also says what is hidden. */
export function totalIn(json: Buffer): number {
  const end = json.toString('latin1', Math.max(0, json.length - 200));
  return Number(/"total":(\d+)\}(,"hidden":\[[^\]]*\])?\}$/.exec(end)?.[1]);
}
