/** The versions that the workspace uses. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const yaml = await readFile(join(import.meta.dirname, '../../../pnpm-workspace.yaml'), 'utf8');
const lines = yaml.matchAll(/^ {2}['"]?([@a-z][\w@/.-]*)['"]?: ([\d][\w.-]*)$/gm);
const catalog = Object.fromEntries(Array.from(lines, ([, name, version]) => [name, version]));

/** The versions of these packages. */
export function pick(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, catalog[name]!]));
}
