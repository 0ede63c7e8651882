import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(import.meta.dirname, '../../../pnpm-lock.yaml');
const entry =
  /^ {2}'?((?:@[\w.-]+\/)?[\w.-]+@[^'():\s]+)'?:\n {4}resolution: \{integrity: ([^,}\s]+)/gm;

/** The packages in the lockfile, as `name@version`, with the integrity of their tarballs. */
export function readLockfile(): Map<string, string> {
  const text = readFileSync(path, 'utf8');
  return new Map(Array.from(text.matchAll(entry), ([, id, integrity]) => [id!, integrity!]));
}
