/**
 * Runs the `sh` and `sql` blocks of documentation pages in order, in a copy of the working tree and with
 * a separate private PostgreSQL for each page.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, freePort, startPrivatePostgres } from '@clientele/sandbox';
import { PageRun, type Say } from './page-run.ts';

type Step = { kind: 'sh' | 'sql'; text: string };

/** Returns the problems found. */
export async function runDocumentedCommands(root: string, pages: string[], say: Say) {
  // Ctrl-C must also stop the servers and remove the copy.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const copy = await copyTree(root);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  // `npx clientele` needs no checkout, so pages may run it before they install one.
  execFileSync('pnpm', ['install'], { cwd: copy, env: { ...process.env, CI: 'true' } });
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const page of pages) {
    const steps = readSteps(await readFile(join(root, page), 'utf8'));
    const problem = await runPage(page, steps, copy, seen, say);
    if (problem !== undefined) problems.push(`${page}: ${problem}`);
  }
  return problems;
}

/** Copies all files that git does not ignore, including uncommitted changes. */
async function copyTree(root: string): Promise<string> {
  const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root });
  const copy = await mkdtemp(join(tmpdir(), 'clientele-docs-'));
  // PostgreSQL's account needs access to the database that `pnpm dev` creates in the copy.
  await chmod(copy, 0o755);
  for (const file of files.toString().split('\0')) {
    if (file !== '' && existsSync(join(root, file))) await cp(join(root, file), join(copy, file));
  }
  // Makes curl fail on HTTP errors.
  await writeFile(join(copy, '.curlrc'), 'silent\nshow-error\nfail-with-body\n');
  return copy;
}

function readSteps(page: string): Step[] {
  return [...page.matchAll(/^```(sh|sql)\n([\s\S]*?)^```$/gm)]
    .flatMap(([, kind, block = '']): Step[] =>
      kind === 'sql'
        ? [{ kind, text: block.trim() }]
        : block.split('\n').map((line) => ({
            kind: 'sh',
            text: line.replace(/(^|\s+)#.*$/, '').trim(),
          })),
    )
    .filter(({ text }) => text !== '');
}

/** Returns the first problem. Later commands of the page depend on earlier ones, so they do not run. */
async function runPage(page: string, steps: Step[], copy: string, seen: Set<string>, say: Say) {
  const [postgres] = await findPostgres();
  if (!postgres) return 'found no PostgreSQL to run on';
  const cluster = await startPrivatePostgres({ postgres });
  const run = new PageRun({
    page,
    copy,
    seen,
    say,
    clusterUrl: cluster.url,
    port: await freePort(),
  });
  try {
    for (const { kind, text } of steps) {
      if (kind === 'sql') await run.sql(text);
      else await run.command(text);
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await run.stop();
    await cluster.stop();
  }
}
