/**
 * Where the database is: DATABASE_URL, the file in DATABASE_URL_FILE, or PGHOST and the other variables of libpq.
 * The URL is a secret and never part of a fault. Nor is the name of the file, in case somebody put the URL there.
 */
import { readFileSync } from 'node:fs';
import { nodeUrls } from './node-urls.ts';

const example = 'a URL like postgres://user:password@host:5432/database';
/** The driver takes what a URL lacks from PGHOST, PGUSER and so on. */
const emptyUrl = 'postgres:///';

export interface DatabaseUrl {
  url: string;
  fault?: string;
}

export function findDatabaseUrl(env: Record<string, string | undefined>): DatabaseUrl {
  const url = env['DATABASE_URL'] ?? '';
  const file = env['DATABASE_URL_FILE'] ?? '';
  const host = env['PGHOST'] ?? '';
  if (file !== '') {
    if (url === '') return readFromFile(file);
    return { url, fault: 'DATABASE_URL and DATABASE_URL_FILE must not both be set' };
  }
  if (url !== '') return checked(url, 'DATABASE_URL must be');
  if (host === '') {
    const instead = 'DATABASE_URL_FILE or PGHOST can be set instead';
    return { url, fault: `DATABASE_URL must be set to ${example}; ${instead}` };
  }
  if (!host.includes(',')) return { url: emptyUrl };
  return { url, fault: 'PGHOST must name one host; several nodes need DATABASE_URL' };
}

function readFromFile(file: string): DatabaseUrl {
  try {
    const url = readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');
    return checked(url, 'DATABASE_URL_FILE must name a file that contains');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return { url: '', fault: `DATABASE_URL_FILE must name a file that can be read (${reason})` };
  }
}

function checked(url: string, rule: string): DatabaseUrl {
  // URLs are parsed as if they had no line breaks.
  if (nodeUrls(url) && !/[\r\n]/.test(url)) return { url };
  const several = url.includes(',') ? ', with different nodes separated by commas' : '';
  return { url, fault: `${rule} ${example}${several}` };
}
