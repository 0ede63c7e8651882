/** The guide for support agents, as pages of the console: `guide/en.html` and `guide/de.html`, from `docs/`. */
import { readFileSync } from 'node:fs';
import { Marked } from 'marked';
import type { Plugin } from 'vite';

const guides = { en: 'console.md', de: 'console.de.md' };
const addresses: Record<string, string> = { 'console.md': 'en.html', 'console.de.md': 'de.html' };

export function guide(): Plugin {
  return {
    name: 'guide',
    generateBundle() {
      const style = readFileSync(new URL('src/styles/guide.css', import.meta.url), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'guide/guide.css', source: style });
      for (const [language, file] of Object.entries(guides)) {
        const source = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
        const fileName = `guide/${language}.html`;
        this.emitFile({ type: 'asset', fileName, source: guidePage(language, source) });
      }
    },
  };
}

/** Without pictures, because the console itself is open, and without links to other pages, which are not there. */
function guidePage(language: string, source: string): string {
  const markdown = new Marked({
    renderer: {
      image: () => '',
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return href in addresses ? `<a href="${addresses[href]}">${text}</a>` : text;
      },
    },
  });
  const title = /^# (.*)$/m.exec(source)![1]!;
  const body = markdown.parse(source, { async: false });
  return `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>${title}</title>
    <link rel="icon" href="../mark.png" />
    <link rel="stylesheet" href="guide.css" />
  </head>
  <body>
    <main>
${body}
    </main>
  </body>
</html>
`;
}
