/** Writes text in the encoding of a file that was read. */

type Encode = (utf8: Buffer) => Buffer;

/** `label` is that of `TextDecoder`; undefined for UTF-8, whose bytes are kept, valid or not. */
export function encoderFor(label: string | undefined): Encode {
  const name = label === undefined ? 'utf-8' : new TextDecoder(label).encoding;
  if (name === 'utf-8') return (utf8) => utf8;
  if (name === 'utf-16le') return (utf8) => Buffer.from(utf8.toString(), 'utf16le');
  if (name === 'utf-16be') return (utf8) => Buffer.from(utf8.toString(), 'utf16le').swap16();
  let table: Map<string, Buffer> | undefined;
  return (utf8) => {
    table ??= tableOf(name);
    const unknown = Buffer.from('?');
    return Buffer.concat(Array.from(utf8.toString(), (each) => table!.get(each) ?? unknown));
  };
}

/** The bytes of each character, by decoding all sequences of one and two bytes, and of three in EUC-JP. */
function tableOf(name: string): Map<string, Buffer> {
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
  for (let first = 0; first < 256; first += 1) {
    if (add(first)) continue;
    for (let second = 0x30; second < 256; second += 1) {
      if (add(first, second) || name !== 'euc-jp' || first !== 0x8f) continue;
      for (let third = 0xa1; third < 255; third += 1) add(first, second, third);
    }
  }
  return table;
}
