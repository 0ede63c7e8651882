/** Generates `docs/cli.md` from `--help`: `pnpm docs:cli` writes it, `pnpm docs:check` compares it. */
import { writeFileSync } from 'node:fs';
import { allCommands, createProgram } from '@clientele/cli/program';

const page = new URL('../docs/cli.md', import.meta.url);

const head = `# Command line

This page is generated from \`--help\` by \`pnpm docs:cli\`. Run \`npx clientele …\`, or in
a checkout \`pnpm clientele …\`.

Commands write data to standard output and messages to standard error. Long operations show their progress:
on a terminal a bar with the rate and the time left, otherwise a line every ten seconds. \`--quiet\` turns
messages off. \`--json\` prints the summary as one line of JSON on standard output, or on standard error if
standard output carries the data (\`export\` without \`--output\`, \`generate\`).

| Exit code | Meaning |
| --- | --- |
| 0 | success, or stopped by a signal after a clean shutdown (\`serve\`, \`demo\`) |
| 1 | failure, with the reason on standard error; for \`doctor\`, something must be fixed |
| 2 | wrong usage: an unknown command or option, or an invalid value |
| 3 | \`import\` and \`sync\`: success, but some records were rejected; \`erase\` and \`retention\`: erased, but a trace remains until an older transaction ends |
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
