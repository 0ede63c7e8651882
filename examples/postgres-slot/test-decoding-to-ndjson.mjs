/**
 * Turns what PostgreSQL's test_decoding says about one table into lines for `clientele sync`:
 *
 *   pg_recvlogical -d shop --slot clientele --start -f - | node test-decoding-to-ndjson.mjs public.people | clientele sync
 *
 * test_decoding comes with every PostgreSQL (contrib), so the source needs nothing installed.
 */
import { createInterface } from 'node:readline';

const wanted = process.argv[2];
const change = /^table (?<table>\S+): (?<kind>INSERT|UPDATE|DELETE): (?<tuple>.*)$/s;
const column = /(?<name>"(?:[^"]|"")+"|[^\s[]+)\[(?:[^[\]]|\[\])+\]:(?<value>'(?:[^']|'')*'|\S+)/g;

const unquote = (text, quote) =>
  text.startsWith(quote) ? text.slice(1, -1).replaceAll(quote + quote, quote) : text;

function* columnsOf(tuple) {
  for (const { groups } of tuple.matchAll(column)) {
    const { name, value } = groups;
    // A long value that did not change is not sent; left out, it stays as it is.
    if (value === 'unchanged-toast-datum') continue;
    yield [unquote(name, '"'), value === 'null' ? null : unquote(value, "'")];
  }
}

function* recordsOf(text) {
  const { table, kind, tuple } = change.exec(text)?.groups ?? {};
  if (table !== wanted) return;
  // An update that changes the key tells the old one first.
  const [, oldKey, newTuple = tuple] = /^old-key: (.*?) new-tuple: (.*)$/s.exec(tuple) ?? [];
  if (oldKey) yield { op: 'delete', ...Object.fromEntries(columnsOf(oldKey)) };
  const record = Object.fromEntries(columnsOf(newTuple));
  yield kind === 'DELETE' ? { op: 'delete', ...record } : record;
}

let text = '';
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  text = text === '' ? line : `${text}\n${line}`;
  // Within a quoted value a line may end; then the quotes so far are odd.
  if ((text.split("'").length - 1) % 2 === 1) continue;
  for (const record of recordsOf(text)) process.stdout.write(`${JSON.stringify(record)}\n`);
  text = '';
}
