/** What `clientele subject` found, for people: as text and as a page. */
import type { Sighting, Subject } from '@clientele/directory';
import { visible } from './visible.ts';

export type SubjectReport = Subject & { at: string; seen: Sighting[] };

interface Section {
  title: string;
  note: string;
  rows: Record<string, unknown>[];
  /** Many short rows: one table with a line for each. */
  isList?: boolean;
}

const sections = (report: SubjectReport): Section[] => [
  {
    title: 'Customer',
    note: 'The record in the directory. Search text, name text and place are derived from other fields.',
    rows: report.customers,
  },
  {
    title: 'Places',
    note: 'Where the record is in sorted lists. They are derived from its fields.',
    rows: report.places,
  },
  {
    title: 'Changes',
    note: 'What searches found before and after recent changes. Such text is kept for 24 hours at most.',
    rows: report.changes,
  },
  {
    title: 'Unchecked',
    note: 'Address and number before recent changes. A server deletes them when it has looked for erased people.',
    rows: report.unchecked,
  },
  {
    title: 'Deletions',
    note: 'Identifiers that older records do not bring back. "infinity": erased, and no record does.',
    rows: report.tombstones,
  },
  {
    title: 'Erasures',
    note: 'When the record was erased and why. Cleared at: when nothing else was left of it.',
    rows: report.erasures,
  },
  {
    title: 'Suppressions',
    note: 'Keyed hashes that keep an erased person from being imported again. They cannot be turned back into data.',
    rows: report.suppressions,
  },
  {
    title: 'Statistics',
    note: 'Columns of which the database has this text in the statistics that it plans with.',
    rows: report.statistics,
    isList: true,
  },
  {
    title: 'Console users',
    note: 'Accounts that sign in with this e-mail address.',
    rows: report.people,
  },
  {
    title: 'Who saw it',
    note: 'Answers and commands that showed the record or changed it, newest first.',
    rows: report.seen.map(({ at, action, caller_kind, caller_id, caller_name, address, uuid }) => ({
      at,
      action,
      by: caller_kind === 'none' ? 'anybody' : `${caller_kind} ${caller_id} (${caller_name})`,
      address,
      record: uuid,
    })),
    isList: true,
  },
];

const scope =
  'This covers the database of the directory. Backups, exported files and other systems are not part of it.';

const nameOf = ({ asked }: SubjectReport): string => ('uuid' in asked ? asked.uuid : asked.email);

export function toText(report: SubjectReport): string {
  const parts = sections(report).map(({ title, note, rows }) => {
    const entries = rows.map((row) =>
      cells(row)
        .map(([label, value]) => `  ${label}: ${value}\n`)
        .join(''),
    );
    return `${title}\n${note}\n\n${entries.length === 0 ? '  none\n' : entries.join('\n')}`;
  });
  return `What is stored about ${visible(nameOf(report))}, as of ${report.at}\n${scope}\n\n${parts.join('\n')}`;
}

/** One file without scripts, that loads nothing. */
export function toHtml(report: SubjectReport): string {
  const title = `What is stored about ${nameOf(report)}`;
  const parts = sections(report).map(({ title: heading, note, rows, isList = false }) => {
    const tables = isList && rows.length > 0 ? [listTable(rows)] : rows.map(recordTable);
    return `<h2>${heading}</h2>\n<p>${escape(note)}</p>\n${tables.join('\n') || '<p>None.</p>'}`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin-bottom: 1.5rem; }
th, td { border: 1px solid #ccc; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
th { font-weight: 600; }
th[scope=row] { width: 14rem; }
td { overflow-wrap: anywhere; white-space: pre-wrap; }
</style>
<h1>${escape(title)}</h1>
<p>As of ${escape(report.at)}. ${scope}</p>
${parts.join('\n')}
</html>
`;
}

function recordTable(row: Record<string, unknown>): string {
  const lines = cells(row).map(
    ([label, value]) => `<tr><th scope="row">${escape(label)}</th><td>${escape(value)}</td></tr>`,
  );
  return `<table>\n${lines.join('\n')}\n</table>`;
}

function listTable(rows: Record<string, unknown>[]): string {
  const lines = rows.map((row) => cells(row).map(([, value]) => `<td>${escape(value)}</td>`));
  const head = cells(rows[0]!).map(([label]) => `<th scope="col">${escape(label)}</th>`);
  return `<table>\n${[head, ...lines].map((line) => `<tr>${line.join('')}</tr>`).join('\n')}\n</table>`;
}

/** Labels and values, without empty fields. */
const cells = (row: Record<string, unknown>): [string, string][] =>
  Object.entries(row)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [toLabel(name), visible(toValue(value))]);

/** `full_name` is `Full name`. */
const toLabel = (name: string): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');

function toValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  // It separates the text from the digits of the phone in what searches find.
  return typeof value === 'string' ? value.replace('\u0001', ' ').trim() : JSON.stringify(value);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string => text.replace(/[&<>"]/g, (sign) => entities[sign]!);
