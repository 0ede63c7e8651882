/** Writes text in the encoding of a file that was read. */

type Encode = (utf8: Buffer) => Buffer;

/** `label` is that of `TextDecoder`; undefined for UTF-8, whose bytes are kept, valid or not. */
export function encoderFor(label: string | undefined): Encode {
  const name = label === undefined ? 'utf-8' : new TextDecoder(label).encoding;
  if (name === 'utf-8') return (utf8) => utf8;
  if (name === 'utf-16le') return (utf8) => Buffer.from(utf8.toString(), 'utf16le');
  if (name === 'utf-16be') return (utf8) => Buffer.from(utf8.toString(), 'utf16le').swap16();
  let encoding: Table | undefined;
  return (utf8) => {
    encoding ??= tableOf(name);
    const { table, invalid } = encoding;
    const bytes = Array.from(utf8.toString(), (each) => table.get(each) ?? invalid);
    if (name !== 'iso-2022-jp') return Buffer.concat(bytes);
    // A sequence that nothing follows is an error.
    const text = Buffer.concat(bytes).toString('latin1');
    return Buffer.from(text.replaceAll(toAscii + toJis, ''), 'latin1');
  };
}

/** What begins and ends characters of JIS X 0208 in ISO-2022-JP. */
const [toJis, toAscii] = ['\x1B$B', '\x1B(B'];

interface Table {
  /** The bytes of each character. */
  table: Map<string, Buffer>;
  /** For bytes that could not be decoded: others that cannot, so that the record is rejected again. */
  invalid: Buffer;
}

/** By decoding all sequences of one and two bytes, and of three in EUC-JP. */
function tableOf(name: string): Table {
  const decoder = new TextDecoder(name, { fatal: true });
  const table = new Map<string, Buffer>();
  const add = (...bytes: number[]): boolean => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if ([...text].length !== 1) return false;
      if (!table.has(text)) table.set(text, Buffer.from(bytes));
      return true;
    } catch {
      return false;
    }
  };
  let invalid: number[] | undefined;
  let leading: number[] | undefined;
  for (let first = 0; first < 256; first += 1) {
    if (add(first)) continue;
    let leads = false;
    for (let second = 0x30; second < 256; second += 1) {
      const known = add(first, second);
      leads ||= known;
      if (known || name !== 'euc-jp' || first !== 0x8f) continue;
      for (let third = 0xa1; third < 255; third += 1) leads = add(first, second, third) || leads;
    }
    if (!leads) invalid = [first];
    else if (!add(first, 0xff)) leading = [first, 0xff];
  }
  if (name === 'iso-2022-jp') addEscaped(add);
  // In Big5, only the second byte can be wrong. Where no byte can, none is needed.
  return { table, invalid: Buffer.from(invalid ?? leading ?? [0x3f]) };
}

function addEscaped(add: (...bytes: number[]) => boolean): void {
  for (let first = 0x21; first < 0x7f; first += 1) {
    for (let second = 0x21; second < 0x7f; second += 1) {
      add(...Buffer.from(toJis), first, second, ...Buffer.from(toAscii));
    }
  }
}
