/** The code of the guide, as files that can be compiled and run. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** A busy machine takes longer than the second that Testing Library waits. */
const patience = `import { configure } from '@testing-library/react';
configure({ asyncUtilTimeout: 300_000 });
`;
const config = `export default { test: { testTimeout: 600_000, setupFiles: './patience.ts' } };
`;

/**
 * Writes each sample of the guide and the README to the folder, under the file name in its first line,
 * and with them the test of what the user of these samples sees.
 */
export async function writeGuideSamples(folder: string): Promise<void> {
  for (const page of ['../../docs/client.md', 'README.md']) {
    const text = await readFile(join(root, page), 'utf8');
    for (const [, code] of text.matchAll(/^```tsx?\n([^]*?)^```$/gm)) {
      const [, file] = /^\/\/ ([\w./[\]-]+\.tsx?)\n/.exec(code!) ?? [];
      if (!file) throw new Error(`${page}: the first line of a sample names its file:\n${code}`);
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), code!, { flag: 'wx' });
    }
  }
  await writeFile(join(folder, 'patience.ts'), patience);
  await writeFile(join(folder, 'vitest.config.ts'), config);
  const tests = join(root, 'test/packed');
  await copyFile(join(tests, 'guide.tsx'), join(folder, 'guide.test.tsx'));
}
