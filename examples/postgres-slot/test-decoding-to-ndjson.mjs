/**
 * Converts the output of PostgreSQL's test_decoding for one table into NDJSON for `clientele sync`:
 *
 *   pg_recvlogical -d shop --slot clientele --start -f - | node test-decoding-to-ndjson.mjs public.people | clientele sync
 *
 * test_decoding is one of PostgreSQL's contrib modules, so nothing has to be installed at the source.
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
    // PostgreSQL does not send unchanged TOASTed values. A missing key leaves the field unchanged.
    if (value === 'unchanged-toast-datum') continue;
    yield [unquote(name, '"'), value === 'null' ? null : unquote(value, "'")];
  }
}

function* recordsOf(text) {
  const { table, kind, tuple } = change.exec(text)?.groups ?? {};
  if (table !== wanted) return;
  // An update that changes the key starts with the old key.
  const [, oldKey, newTuple = tuple] = /^old-key: (.*?) new-tuple: (.*)$/s.exec(tuple) ?? [];
  if (oldKey) yield { op: 'delete', ...Object.fromEntries(columnsOf(oldKey)) };
  const record = Object.fromEntries(columnsOf(newTuple));
  yield kind === 'DELETE' ? { op: 'delete', ...record } : record;
}

let text = '';
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  text = text === '' ? line : `${text}\n${line}`;
  // A quoted value may contain line breaks: an odd number of quotes means that it continues.
  if ((text.split("'").length - 1) % 2 === 1) continue;
  for (const record of recordsOf(text)) process.stdout.write(`${JSON.stringify(record)}\n`);
  text = '';
}
