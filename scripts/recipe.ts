/**
 * Proves "Add a field" in CONTRIBUTING.md: follows it in a copy of the repository, for a text field that is searched
 * and for a number, all but the generated customers and the documentation. Then it checks types and runs the tests that
 * cover every field.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrationOf, type Column } from './recipe/migration.ts';
import { replaceOnce } from './recipe/replace-once.ts';

interface NewField extends Column {
  /** In the table of fields, in the types of the wire and the model, in the check of the client. */
  declaration: string;
  type: string;
  rule: string;
  blank: string;
  /** In the model, and in the console. */
  model: string;
  entry: string;
  label: string;
}

const newFields: NewField[] = [
  {
    name: 'job_title',
    definition: 'text constraint job_title_length check (length(job_title) <= 200)',
    isSearched: true,
    declaration: "{ kind: 'text', max: 200, nullable: true, searched: true, aliases: 'position' }",
    type: 'string | null',
    rule: 'orNull(string)',
    blank: 'null',
    model: 'jobTitle',
    entry: "{ kind: 'text', search: 'name' }",
    label: "{ en: 'Job title', de: 'Funktion' }",
  },
  {
    name: 'open_tickets',
    definition: `bigint not null default 0
  constraint open_tickets_range check (open_tickets between 0 and 1000000)`,
    isSearched: false,
    declaration: "{ kind: 'integer', min: 0, max: 1_000_000, default: 0, aliases: 'tickets' }",
    type: 'number',
    rule: 'integer',
    blank: '0',
    model: 'openTickets',
    entry: "{ kind: 'number' }",
    label: "{ en: 'Open tickets', de: 'Offene Anfragen' }",
  },
];

const mostFiles = 10;
const migrations = 'packages/directory/migrations';
const copy = mkdtempSync(join(tmpdir(), 'clientele-recipe-'));
const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { cwd: copy, stdio: 'inherit' });
};
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=recipe', '-c', 'user.email=recipe@mail.example', ...args], {
    cwd: copy,
    encoding: 'utf8',
  });
const test = (projects: string[], files: string[], ...options: string[]): void => {
  const chosen = projects.flatMap((project) => ['--project', project]);
  run('pnpm', 'exec', 'vitest', 'run', ...options, ...chosen, ...files);
};

/** Each puts a line in front of a line that is there. */
function addByHand(field: NewField): void {
  const { name, model, type, rule, blank, declaration, entry, label } = field;
  insert('packages/contract/src/index.ts', '  is_verified: boolean;', `  ${name}: ${type};`);
  insert(
    'packages/contract/src/customer-fields.ts',
    '  is_verified: {',
    `  ${name}: ${declaration},`,
  );
  const { file, sql } = migrationOf(join(copy, migrations), field);
  writeFileSync(join(copy, migrations, file), sql);
  insert('packages/client/src/model.ts', '  isVerified: boolean;', `  ${model}: ${type};`);
  insert('packages/client/src/mappers.ts', '    isVerified: wire.', `    ${model}: wire.${name},`);
  insert('packages/client/src/contract-check.ts', '  is_verified: boolean,', `  ${name}: ${rule},`);
  insert('packages/client/src/fixtures.ts', '    is_verified: false,', `    ${name}: ${blank},`);
  insert('packages/console/src/customers/columns.tsx', '  isVerified: {', `  ${model}: ${entry},`);
  const messages = 'packages/console/src/text/messages.ts';
  insert(messages, "  'column.isVerified':", `  'column.${model}': ${label},`);
}

function insert(file: string, before: string, line: string): void {
  const path = join(copy, file);
  const text = replaceOnce(readFileSync(path, 'utf8'), `\n${before}`, `\n${line}\n${before}`);
  writeFileSync(path, text);
}

// Ctrl-C ends the command that runs, and with it this program; the folder is removed first.
process.once('SIGINT', () => undefined);
process.once('SIGTERM', () => undefined);
try {
  copyRepository();
  for (const field of newFields) {
    addByHand(field);
    const files = git('status', '--short', '--untracked-files=all').trimEnd().split('\n');
    process.stdout.write(`${field.name} touches ${files.length} files:\n${files.join('\n')}\n`);
    if (files.length > mostFiles) throw new Error(`More than ${mostFiles} files`);
    commit(field.name);
  }
  const onPostgres = '*PostgreSQL 15';
  test([onPostgres, 'import'], ['schema.test', 'statements.test'], '--update');
  run('pnpm', 'types');
  const covering = 'limits fixtures values every-field customer-fields customers-table columns';
  test(
    ['contract', 'import', 'cli', 'console', onPostgres],
    covering.split(' ').map((name) => `/${name}.test`),
  );
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** As it is here, with what is not committed. */
function copyRepository(): void {
  const root = join(import.meta.dirname, '..');
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files) {
    if (file === '' || !existsSync(join(root, file))) continue;
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
  }
  git('init', '--quiet');
  commit('copy');
  run('pnpm', 'install', '--offline');
}

function commit(message: string): void {
  git('add', '--all');
  git('commit', '--quiet', '--no-verify', '--message', message);
}
