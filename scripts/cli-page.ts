/** `docs/cli.md`, from what `--help` says: `pnpm docs:cli` writes it, `pnpm docs:check` compares. */
import { writeFileSync } from 'node:fs';
import { allCommands, createProgram } from '@clientele/cli/program';

const page = new URL('../docs/cli.md', import.meta.url);

const head = `# The executable

This page is made from \`--help\` by \`pnpm docs:cli\`. From a checkout, write \`pnpm clientele …\`.

Data goes to standard output, talk to standard error. What takes long shows how far it is: a bar with rate
and time left on a terminal, a line every ten seconds elsewhere. \`--quiet\` leaves the talk out, \`--json\`
gives the summary as one line of JSON: on standard output, or on standard error where standard output
carries the data (\`export\` without \`--output\`, \`generate\`).

| Exit code | Means |
| --- | --- |
| 0 | done, or stopped by a signal after draining (\`serve\`, \`demo\`) |
| 1 | failed, and the reason is on standard error; of \`doctor\`, something must be mended |
| 2 | wrong usage: an unknown command or option, or a value that an option does not take |
| 3 | \`import\` and \`sync\`: done, and some records were rejected |
`;

export function cliPage(): string {
  const program = createProgram();
  const parts = allCommands(program).map((command) => {
    const names = [];
    for (let each: typeof command | null = command; each; each = each.parent) {
      names.unshift(each.name());
    }
    let help = '';
    command
      .configureHelp({ helpWidth: 100 })
      .configureOutput({ writeOut: (text) => (help += text) })
      .outputHelp();
    return `## ${names.join(' ')}\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`;
  });
  return [head, ...parts].join('\n');
}

if (import.meta.main) writeFileSync(page, cliPage());
