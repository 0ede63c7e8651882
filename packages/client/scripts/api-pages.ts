/**
 * Writes docs/client-api: a page for every export, from the declarations and their comments.
 * With --check it writes nothing and fails when a page is not what it would write.
 *
 * It reads the text of emitted declarations, whose form is regular, because documentation tools
 * still need the compiler API that TypeScript 7 does not have.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const target = join(root, '../../docs/client-api');
const entries = { '@clientele/client': 'index', '@clientele/client/react': 'react/index' };

const notice =
  '<!-- Made by packages/client/scripts/api-pages.ts: change the comments in the source. -->';

interface Export {
  name: string;
  specifier: string;
  isType: boolean;
  /** The comment before the declaration, without its stars. */
  comment: string;
  declaration: string;
}

const work = mkdtempSync(join(tmpdir(), 'clientele-docs-'));
try {
  const pages = render(readExports());
  if (process.argv.includes('--check')) check(pages);
  else write(pages);
} finally {
  rmSync(work, { recursive: true });
}

function readExports(): Export[] {
  execFileSync(process.execPath, ['scripts/build.ts', work], { cwd: root, stdio: 'inherit' });
  const found = Object.entries(entries).flatMap(([specifier, entry]) => {
    const folder = join(work, entry, '..');
    const text = readFileSync(join(work, `${entry}.d.ts`), 'utf8');
    return [...text.matchAll(/^export (type )?\{([^}]*)\} from '\.\/(.+)\.ts';$/gm)].flatMap(
      ([, allTypes, names, file]) =>
        names!.split(',').flatMap((item) => {
          const [, type, name] = /^\s*(type )?(\w+)\s*$/.exec(item) ?? [];
          if (!name) return [];
          const declarations = readFileSync(join(folder, `${file}.d.ts`), 'utf8');
          const isType = Boolean(allTypes ?? type);
          return [{ name, specifier, isType, ...findDeclaration(name, declarations) }];
        }),
    );
  });
  return format(found);
}

function findDeclaration(name: string, text: string): Pick<Export, 'comment' | 'declaration'> {
  const start = new RegExp(
    `(?:/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n)?^export (?:declare )?(?:\\w+) ${name}\\b`,
    'm',
  ).exec(text);
  if (!start) throw new Error(`No declaration of ${name}`);
  const comment = (start[1] ?? '').replaceAll(/^[ \t]*\*? ?/gm, '').trim();
  // Contract types are told by their members; everything of this package says what it is.
  if (!comment && !/wire|problem/i.test(name)) throw new Error(`${name} has no comment`);
  const from = start.index + start[0].lastIndexOf('export');
  const declaration = text.slice(from, endOfStatement(text, from));
  // A type taken from a constant says nothing without it.
  const [, constant] = /\btypeof (\w+)/.exec(declaration) ?? [];
  if (!constant || !text.includes(`const ${constant}:`)) return { comment, declaration };
  const { declaration: source } = findDeclaration(constant, text);
  return { comment, declaration: `${declaration}\n\n${source}` };
}

/** The end of the statement that starts at `from`: a semicolon or a closing brace outside brackets. */
function endOfStatement(text: string, from: number): number {
  let depth = 0;
  for (const { 0: token, index } of text
    .slice(from)
    .matchAll(/\/\*[^]*?\*\/|'[^']*'|=>|[()[\]{}<>;]/g)) {
    if ('([{<'.includes(token)) depth += 1;
    if (')]}>'.includes(token)) depth -= 1;
    const isBlock = /^export (declare )?(interface|class|abstract)/.test(text.slice(from));
    if (depth === 0 && (token === ';' || (token === '}' && isBlock))) return from + index + 1;
  }
  throw new Error(`No end of the statement: ${text.slice(from, from + 80)}`);
}

/** Declarations come out of the compiler in one long line. */
function format(exports: Export[]): Export[] {
  const folder = join(work, 'declarations');
  mkdirSync(folder);
  const file = ({ name }: Export) => join(folder, `${name}.d.ts`);
  for (const each of exports) writeFileSync(file(each), linkless(each.declaration));
  execFileSync('oxfmt', ['--config', join(root, '../../.oxfmtrc.json'), folder], { cwd: root });
  return exports.map((each) => ({
    ...each,
    declaration: readFileSync(file(each), 'utf8')
      .replaceAll(/^export (declare )?/gm, '')
      .trim(),
  }));
}

function linkless(text: string): string {
  return text.replaceAll(/\{@link (\w+)\}/g, '`$1`');
}

function render(exports: Export[]): Map<string, string> {
  const names = new Set(exports.map(({ name }) => name));
  const pages = new Map([['README.md', renderIndex(exports)]]);
  for (const each of exports) pages.set(`${each.name}.md`, renderPage(each, names));
  return pages;
}

function renderPage({ name, specifier, isType, comment, declaration }: Export, names: Set<string>) {
  const [about, ...tags] = comment.split(/^@/m);
  const parts = [
    notice,
    `# ${name}`,
    `\`import ${isType ? 'type ' : ''}{ ${name} } from '${specifier}';\``,
    link(about!.trim(), names),
    block('ts', declaration),
  ];
  for (const tag of tags) {
    const [, kind, text] = /^(\w+)\s*([^]*)$/.exec(tag.trim())!;
    if (kind === 'throws')
      parts.push(`**Throws** ${link(text!.replace(/^\{(\w+)\}/, '{@link $1}'), names)}`);
    else if (kind === 'example') parts.push('## Example', block('tsx', text!));
    else throw new Error(`${name}: the pages do not know @${kind}`);
  }
  const others = [...names].filter(
    (other) => other !== name && new RegExp(`\\b${other}\\b`).test(declaration),
  );
  if (others.length > 0)
    parts.push(`See also ${others.map((other) => `[${other}](${other}.md)`).join(', ')}.`);
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function renderIndex(exports: Export[]): string {
  const names = new Set(exports.map(({ name }) => name));
  const sections = Object.keys(entries).flatMap((specifier) => {
    const own = exports.filter((each) => each.specifier === specifier);
    const line = ({ name, comment }: Export) => {
      const [sentence] = comment.split(/(?<=\.)\s|\n\n|^@/m);
      return `- [${name}](${name}.md)${sentence ? `: ${link(sentence.replaceAll('\n', ' '), names)}` : ''}`;
    };
    return [
      `## \`${specifier}\``,
      own
        .filter(({ isType }) => !isType)
        .map(line)
        .join('\n'),
      'Types:',
      own
        .filter(({ isType }) => isType)
        .map(line)
        .join('\n'),
    ];
  });
  const intro = 'A page for every export. The [guide](../client.md) tells how they work together.';
  return `${[notice, "# The client's API", intro, ...sections].join('\n\n')}\n`;
}

function link(text: string, names: Set<string>): string {
  return text.replaceAll(/\{@link (\w+)\}/g, (_, name: string) =>
    names.has(name) ? `[${name}](${name}.md)` : `\`${name}\``,
  );
}

function block(language: string, code: string): string {
  return `\`\`\`${language}\n${code.trim()}\n\`\`\``;
}

function write(pages: Map<string, string>): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const [file, text] of pages) writeFileSync(join(target, file), text);
}

function check(pages: Map<string, string>): void {
  const stale = [...pages].filter(([file, text]) => {
    try {
      return readFileSync(join(target, file), 'utf8') !== text;
    } catch {
      return true;
    }
  });
  const left = readdirSync(target).filter((file) => !pages.has(file));
  const wrong = [...stale.map(([file]) => file), ...left];
  if (wrong.length === 0) return;
  process.stderr.write(`docs/client-api is out of date (${wrong.join(', ')}): run pnpm docs\n`);
  process.exitCode = 1;
}
