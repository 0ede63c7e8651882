/** Statements, by name, as a file that people read: the lines as they are sent, indented by parentheses and clauses. */
export function readableSql(statements: ReadonlyMap<string, string>): string {
  const parts = Array.from(statements, ([name, text]) => `-- ${name}\n${indented(text)};\n`);
  return `-- As it is sent. \`vitest --update\` writes this file again.\n\n${parts.join('\n')}`;
}

/** What starts at the edge of its parentheses: clauses, and the names of common tables. */
const edge =
  /^((with|select|from|where|left join|join|group by|order by|having|limit|union|on conflict|returning|insert|update|delete|using)\b|\)|\w+ as materialized \($)/;

function indented(text: string): string {
  /** For each open parenthesis, the indentation of its line. */
  const open: number[] = [];
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines
    .map((line) => {
      // Neither comments nor strings have parentheses that count.
      const code = line.replaceAll(/'[^']*'|--.*$/g, '');
      const inside = open.length === 0 ? 0 : open.at(-1)! + 1;
      const at = code.startsWith(')') ? open.at(-1)! : inside + (edge.test(line) ? 0 : 1);
      for (const [parenthesis] of code.matchAll(/[()]/g)) {
        if (parenthesis === '(') open.push(at);
        else open.pop();
      }
      return '  '.repeat(at) + line;
    })
    .join('\n');
}
