/**
 * Strict parsing of query strings: Fastify's own parser and type coercion accept too much (bad
 * encodings, `0x10`, `1e3`, ` 1 `). The bytes after the `?` must be percent-encoded UTF-8.
 */
import type { ParameterProblem } from '@clientele/contract';

/** A value, or null if its bytes are not valid text. */
export type QueryValues = Map<string, string | null>;

export interface ParsedQuery {
  values: QueryValues;
  errors: ParameterProblem[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Splits and decodes; reports every unknown and every repeated name. */
export function parseQuery(url: string, known: readonly string[]): ParsedQuery {
  const values: QueryValues = new Map();
  const errors: ParameterProblem[] = [];
  const start = url.indexOf('?');
  if (start === -1) return { values, errors };

  for (const pair of url.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (name === null || !known.includes(name)) {
      errors.push(unknownParameter(name, known));
    } else if (values.has(name)) {
      errors.push({
        parameter: name,
        code: 'repeated-parameter',
        detail: `${name} appears more than once; send it once.`,
      });
    } else {
      values.set(name, equals === -1 ? '' : decode(pair.slice(equals + 1)));
    }
  }
  return { values, errors };
}

/** Null if the percent-encoding is broken, the bytes are not UTF-8, or one of them is NUL. */
function decode(encoded: string): string | null {
  if (/^[\w.~-]*$/.test(encoded)) return encoded;
  if (/%(?![0-9a-fA-F]{2})/.test(encoded)) return null;
  const bytes = Buffer.from(
    encoded
      .replaceAll('+', ' ')
      .replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  if (bytes.includes(0)) return null;
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function unknownParameter(name: string | null, known: readonly string[]): ParameterProblem {
  // A name is repeated only if it cannot be personal data.
  const plain = name !== null && /^[A-Za-z][A-Za-z_-]{0,31}$/.test(name);
  const meant = plain
    ? known.find((candidate) => distance(name.toLowerCase(), candidate.toLowerCase()) <= 2)
    : undefined;
  let detail =
    known.length === 0
      ? 'This route takes no parameters.'
      : `Known parameters: ${known.join(', ')}.`;
  if (meant !== undefined) detail = `Did you mean ${meant}? ${detail}`;
  return { parameter: plain ? name : '(name withheld)', code: 'unknown-parameter', detail };
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
