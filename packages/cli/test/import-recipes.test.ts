/** The examples in docs/import.md: every command prints what the page says. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createTestDatabase, temporaryFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { startClientele } from './setup/executable.ts';

const page = await readFile(new URL('../../../docs/import.md', import.meta.url), 'utf8');
const samples = new URL('../../import/test/samples/', import.meta.url);

interface Step {
  command: string;
  output: string;
}

/** `$ command`, possibly over several lines, and what it prints. */
function readSteps(block: string): Step[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n([\s\S]*)$/.exec(text) ?? [];
      return { command: command.replaceAll(/\\\n\s*/g, ''), output: output.trim() };
    });
}

const blocks = [...page.matchAll(/^```text\n(\$ [\s\S]*?)^```$/gm)].map(([, block]) => ({
  name: readSteps(block!).at(-1)!.command,
  steps: readSteps(block!),
}));

test('the page has a recipe for each system', async () => {
  const presets = await readFile(
    new URL('../../import/src/preset-list.ts', import.meta.url),
    'utf8',
  );
  const systems = Array.from(
    presets.matchAll(/^ {2}'?([A-Z][\w ]+)'?: \{$/gm),
    ([, name]) => name!,
  );
  const [, recipes = ''] = page.split('\n## Recipes\n');
  const rows = recipes.split('\n## ')[0]!.matchAll(/^\| ([^|]+) \|/gm);
  const listed = Array.from(rows, ([, system]) => system).filter(
    (each) => !/^(System|---)$/.test(each!),
  );
  expect(new Set(listed)).toEqual(new Set(systems));
});

test.each(blocks)('$name', async ({ steps }) => {
  await using folder = await temporaryFolder();
  await using database = await createTestDatabase();
  for (const { command, output } of steps) {
    const [program, ...args] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain!,
    );
    if (program === 'cat') {
      const file = folder.path(args[0]!);
      // The first time, the page shows the file that the commands below it read.
      if (existsSync(file)) expect((await readFile(file, 'utf8')).trim()).toBe(output);
      else await writeFile(file, `${output}\n`);
      continue;
    }
    expect(program).toBe('clientele');
    const file = args[1]!;
    const sample = new URL(file.replace('.', '-en.'), samples);
    if (!existsSync(folder.path(file))) await copyFile(sample, folder.path(file));
    await using run = startClientele(
      args,
      { DATABASE_URL: database.url },
      { cwd: folder.path('.') },
    );
    await run.exited;
    expect(
      run
        .output()
        .trim()
        .replace(/in [\d.]+ s:/, 'in 0.1 s:'),
      command,
    ).toBe(output);
  }
});
