/** Emits `dist` (or another folder) with a copy of the contract's declarations: no dependencies. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const target = resolve(root, process.argv[2] ?? 'dist');
const tsc = (...args: string[]) => execFileSync('tsc', args, { cwd: root, stdio: 'inherit' });

rmSync(target, { recursive: true, force: true });
tsc('--project', 'tsconfig.build.json', '--outDir', target);

const contract = mkdtempSync(join(tmpdir(), 'clientele-contract-'));
tsc('--project', '../contract/tsconfig.build.json', '--emitDeclarationOnly', '--outDir', contract);
copyFileSync(join(contract, 'index.d.ts'), join(target, 'wire.d.ts'));
rmSync(contract, { recursive: true });
