/** The reasons in a file of rejected records: line, column and rule of each. */
export function readReasons(file: Buffer): [line: number, column: string, rule: string][] {
  const isUtf16 = file[0] === 0xff && file[1] === 0xfe;
  const text = (isUtf16 ? file.toString('utf16le') : file.toString()).replaceAll(/""|\\"/g, "'");
  const reasons = [...text.matchAll(/"line (\d+): ([^"]*)"/g)];
  return reasons.flatMap(([, line, list = '']) =>
    list
      .split(/(?<=\([a-z0-9-]+\)); /)
      .map((reason): [number, string, string] => [
        Number(line),
        /^'([^']*)'/.exec(reason)?.[1] ?? '',
        /\(([a-z0-9-]+)\)$/.exec(reason)?.[1] ?? '',
      ]),
  );
}
