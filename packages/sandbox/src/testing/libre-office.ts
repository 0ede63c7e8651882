/** LibreOffice without a window: what it makes of a CSV file. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export const hasLibreOffice = spawnSync('soffice', ['--version']).status === 0;

/** With the number that the CSV filter knows the language by. */
export const locales = { 'en-US': 1033, 'de-DE': 1031, 'fr-FR': 1036 } as const;
export type Locale = keyof typeof locales;

const filter = 'Text - txt - csv (StarCalc)';
const utf8 = 76;
const code = (character: string): number => character.charCodeAt(0);

/**
 * The cells of each file as a user with this locale sees them who opens it with these separators. A text is in
 * quotes; a formula is not, and starts with `=`.
 */
export async function open(
  files: readonly string[],
  options: { folder: string; locale: Locale; separators: string; detectsDates?: boolean },
): Promise<string[][][]> {
  const { folder, locale, separators, detectsDates = false } = options;
  const profile = join(folder, `profile-${locale}`);
  await mkdir(join(profile, 'user'), { recursive: true });
  await writeFile(join(profile, 'user/registrymodifications.xcu'), settings(locale));
  const opened = join(folder, 'opened');
  const input = `${[...separators].map(code).join('/')},34,${utf8},1,,${locales[locale]},false,${detectsDates}`;
  // Quotes around text, and formulas instead of their values.
  const output = `${code(between)},34,${utf8},1,,0,true,true,false,true`;
  await promisify(execFile)('soffice', [
    `-env:UserInstallation=${pathToFileURL(profile).href}`,
    '--headless',
    `--infilter=${filter}:${input}`,
    '--convert-to',
    `csv:${filter}:${output}`,
    '--outdir',
    opened,
    ...files,
  ]);
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(opened, basename(file)), 'utf8');
      return text.trimEnd().split('\n').map(cellsOf);
    }),
  );
}

/** Separates the cells that LibreOffice writes. No test has it in a cell. */
const between = '§';
/** Rows that are shorter than others end in empty cells. */
const cellsOf = (line: string): string[] => line.replace(/§+$/, '').split(between);

const settings = (locale: Locale): string => `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
  <item oor:path="/org.openoffice.Setup/L10N">
    <prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${locale}</value></prop>
  </item>
</oor:items>
`;
