/**
 * Runs the `sh` and `sql` blocks of documentation pages in order, with a separate private PostgreSQL for each
 * page: those of tutorials and of npx in an empty folder, with the package that `pnpm build` made, as a reader does;
 * those of other pages in a copy of the working tree. Saves the files that a page asks to save. `page.md#Heading` is a
 * single section.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { chmod, cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, freePort, startPrivatePostgres } from '@clientele/sandbox';
import { read, section } from './docs/pages.ts';
import { builtPackage, publishPackage } from './docs/published-package.ts';
import { PageRun, type PageRunOptions, type Say } from './page-run.ts';

type Step =
  | { kind: 'sh'; text: string }
  | { kind: 'sql'; text: string }
  | { kind: 'file'; name: string; text: string };

/** Pages for readers who have no checkout. */
const usesPackage = (page: string): boolean => /^docs\/(tutorials\/|how-to\/npx)/.test(page);

/** Returns the problems found. */
export async function runDocumentedCommands(root: string, pages: string[], say: Say) {
  if (!existsSync(builtPackage(root))) return ['Tutorials run the built package. Run: pnpm build'];
  // Ctrl-C must also stop the servers and remove the copy.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const copy = await copyTree(root);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  // `npx clientele` needs no checkout, so pages may run it before they install one.
  execFileSync('pnpm', ['install'], { cwd: copy, env: { ...process.env, CI: 'true' } });
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const page of pages.filter((each) => !usesPackage(each))) {
    const repeats = page.includes('#');
    problems.push(...(await runPage({ page, copy, seen: repeats ? undefined : seen, say })));
  }
  for (const page of pages.filter(usesPackage)) {
    await using published = await publishPackage(root);
    problems.push(...(await runPage({ page, copy, seen: new Set(), say, published })));
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
  const block = /(?:Save this as `([\w.-]+)`:\n\n)?^```(sh|sql|csv)\n([\s\S]*?)^```$/gm;
  return [...page.matchAll(block)]
    .flatMap(([, name, kind, text = '']): Step[] => {
      if (name !== undefined) return [{ kind: 'file', name, text }];
      if (kind === 'csv') return [];
      if (kind === 'sql') return [{ kind, text: text.trim() }];
      const lines = text.split('\n').map((line) => line.replace(/(^|\s+)#.*$/, '').trim());
      return lines.map((line) => ({ kind: 'sh', text: line }));
    })
    .filter(({ text }) => text !== '');
}

type PageOptions = Pick<PageRunOptions, 'page' | 'copy' | 'seen' | 'say' | 'published'>;

/** Returns the first problem. Later commands of the page depend on earlier ones, so they do not run. */
async function runPage(options: PageOptions): Promise<string[]> {
  const { page, copy, say, published } = options;
  const [postgres] = await findPostgres();
  if (!postgres) return [`${page}: found no PostgreSQL to run on`];
  const [path = '', heading] = page.split('#');
  const steps = readSteps(heading === undefined ? read(path) : section(path, heading));
  if (
    /^pg_dump /m.test(steps.map(({ text }) => text).join('\n')) &&
    !existsSync(join(postgres.binDir, 'pg_dump'))
  ) {
    say(`${page}: not run, needs pg_dump`);
    return [];
  }
  const cluster = await startPrivatePostgres({ postgres });
  const { url: clusterUrl } = cluster;
  const { binDir } = postgres;
  const run = new PageRun({ ...options, clusterUrl, binDir, port: await freePort() });
  try {
    for (const step of steps) {
      if (step.kind === 'sql') await run.sql(step.text);
      else if (step.kind === 'sh') await run.command(step.text);
      else await writeFile(join(published?.folder ?? copy, step.name), step.text);
    }
    return [];
  } catch (error) {
    return [`${page}: ${(error as Error).message}`];
  } finally {
    await run.stop();
    await cluster.stop();
  }
}
