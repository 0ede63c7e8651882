/** Type-checks each code block of the guide as a separate module, and runs the blocks that are tests. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
// Inside the package, so that its own name resolves the way it does for users.
const work = join(root, '.guide');

rmSync(work, { recursive: true, force: true });
mkdirSync(work);
try {
  for (const file of ['../../docs/client.md', 'README.md']) extract(file);
  const compilerOptions = { noEmit: true, jsx: 'react-jsx', lib: ['es2024', 'dom'], types: [] };
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.base.json', compilerOptions, include: ['*'] }),
  );
  run('tsc', '--project', work);
  run('vitest', 'run', '--root', work, '--environment', 'happy-dom', '--silent');
} finally {
  rmSync(work, { recursive: true });
}

function extract(file: string): void {
  const text = readFileSync(join(root, file), 'utf8');
  for (const { 1: language, 2: code, index } of text.matchAll(/^```(tsx?)\n([^]*?)^```$/gm)) {
    const line = text.slice(0, index).split('\n').length;
    const kind = code!.includes("from 'vitest'") ? 'test.' : '';
    const page = file.split('/').pop()!.replace('.md', '');
    writeFileSync(join(work, `${page}-line-${line}.${kind}${language}`), code!);
  }
}

function run(command: string, ...args: string[]): void {
  try {
    execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    process.stderr.write(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
    process.exitCode = 1;
  }
}
