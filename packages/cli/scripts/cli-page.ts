/**
 * Generates docs/cli.md from `--help`, `pnpm docs:cli`: a page of the documentation site and of the package that is not in
 * the repository.
 */
import { writeFileSync } from 'node:fs';
import { allCommands, createProgram } from '@clientele/cli/program';

const page = new URL('../../../docs/cli.md', import.meta.url);

const head = `# Command line

What \`--help\` prints for each command. [Operations](operations.md#commands) says what all commands have in common: how
they are called, what they print, and their exit codes.
`;

/** Without the line of --help, which every command has. */
const withoutHelp = (help: string): string =>
  help
    .replace(/^ +-h, --help .*\n/m, '')
    .replace(/^Commands:\n +help .*\n\n/m, '')
    .replace(/^Options:\n(?=\n|$)/m, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

export function cliPage(): string {
  const program = createProgram();
  // Those that only list their subcommands are left out.
  const shown = allCommands(program).filter(
    (command) => command === program || command.commands.length === 0,
  );
  const parts = shown.map((command) => {
    const names = [];
    for (let each: typeof command | null = command; each; each = each.parent) {
      names.unshift(each.name());
    }
    let help = '';
    command
      .configureHelp({ helpWidth: 100 })
      .configureOutput({ writeOut: (text) => (help += text) })
      .outputHelp();
    return `## ${names.join(' ')}\n\n\`\`\`text\n${withoutHelp(help)}\n\`\`\`\n`;
  });
  return [head, ...parts].join('\n');
}

if (import.meta.main) writeFileSync(page, cliPage());
