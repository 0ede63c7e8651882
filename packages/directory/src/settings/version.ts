import { readFileSync } from 'node:fs';
import { packageFolder } from './package-folder.ts';

/** The version of this package. */
export const version = (
  JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as {
    version: string;
  }
).version;
