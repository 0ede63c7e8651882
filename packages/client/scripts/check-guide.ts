/** Compiles the guide's samples against the source, and runs their tests. A packed install: pack-check.ts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeGuideSamples } from './guide-samples.ts';

const root = join(import.meta.dirname, '..');
// Inside the package, so that its own name resolves the way it does for users.
const work = join(root, '.guide');

rmSync(work, { recursive: true, force: true });
mkdirSync(work);
try {
  await writeGuideSamples(work);
  const compilerOptions = { noEmit: true, jsx: 'react-jsx', lib: ['es2024', 'dom'] };
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.base.json', compilerOptions, include: ['**/*'] }),
  );
  run('tsc', '--project', work);
  run('vitest', 'run', '--root', work);
} finally {
  rmSync(work, { recursive: true });
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
