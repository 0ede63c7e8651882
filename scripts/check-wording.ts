/**
 * Finds idioms that this project has plain words for, in pages, comments, messages and names. A part of
 * `pnpm docs:check`; `node scripts/check-wording.ts` runs it alone.
 */
import { files, read } from './docs/pages.ts';

interface Idiom {
  /** A space also matches a line break, with the leader of a comment behind it. */
  pattern: string;
  better: string;
  /** Paths where the words mean something else. */
  except?: RegExp;
}

const idioms: Idiom[] = [
  { pattern: 'mend(s|ed|ing)?', better: 'fix, repair' },
  { pattern: 'told|tells', better: 'says, shows, lists, reports' },
  { pattern: 'rides?|riding', better: 'coalesced or shared request' },
  { pattern: 'doubt(s|ed|ing)?', better: 'uncertain estimate, threshold' },
  { pattern: 'anew', better: 'again, from scratch, re-…' },
  { pattern: 'the way of', better: 'life of, path of' },
  { pattern: '(go|goes|going|gone|went) on (with|after)', better: 'continue, resume' },
  { pattern: 'who(ever)? asks', better: 'requests that …, callers that …' },
  { pattern: "each matter|a matter of|\\w+['’]s matter", better: 'check, concern, question' },
  { pattern: 'none of (our|their|its|your) business', better: 'say what is out of scope' },
  { pattern: '(speaks?|spoken|spoke) of', better: 'gives, mentions, contains' },
  { pattern: 'in the place of', better: 'instead of' },
  { pattern: 'merely', better: 'only, or leave it out' },
  { pattern: 'believe[sd]?|believing|belief', better: 'cached; trusted; assumed' },
  { pattern: '(the|first) talk|talks? (to|on) (stderr|standard error)', better: 'messages' },
  { pattern: 'of (its|their|our) own making', better: 'say who made it' },
  { pattern: '(is|are) of one instant', better: 'comes from one snapshot' },
  { pattern: 'invent(s|ed|ing)? (\\w+ )?customers', better: 'generate customers' },
  { pattern: 'what (is|was) remembered', better: 'cached' },
  { pattern: 'so that nobody', better: 'state the technical reason' },
  { pattern: 'counted ahead', better: 'precomputed' },
  { pattern: 'heads of (the )?columns', better: 'headers' },
  { pattern: 'customers of before', better: 'existing customers' },
  {
    // Not the names of classes and files: quotes, dots and hyphens around it.
    pattern: '(?<![.\'"`-])beside(?![\'"`-])',
    better: 'besides, next to, along with',
    // There it is where things are on the screen.
    except: /^packages\/console\//,
  },
];

const lineBreak = String.raw`[ \t]*\n[ \t]*(?:\*|\/\/|#|--|>)?[ \t]*`;
const rules = idioms.map((idiom) => {
  const source = idiom.pattern.replaceAll(' ', String.raw`(?:[ \t]+|${lineBreak})`);
  return { ...idiom, regex: new RegExp(String.raw`\b(?:${source})\b`, 'gi') };
});

const searched = ['md', 'ts', 'tsx', 'mjs', 'yaml', 'yml', 'sh', 'css', 'html'].map(
  (extension) => `*.${extension}`,
);
/** Scripts without an extension. */
const scripts = ['scripts/*', '.ci/*'];
const skipped = [
  /^packages\/server\/migrations\//, // never edited
  /^packages\/contract\/fixtures\//, // recorded bodies
  /^packages\/sandbox\/src\/generator\/(names|companies)\//, // vocabulary
  /^pnpm-lock\.yaml$/,
  /^scripts\/check-wording\.ts$/,
];

/** Each place as `file:line`, with better words. */
export function checkWording(): string[] {
  return files(...searched, ...scripts)
    .filter((path) => !skipped.some((pattern) => pattern.test(path)))
    .flatMap(checkFile);
}

function checkFile(path: string): string[] {
  // Names count by their words.
  const text = current(path).replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const found = rules
    .filter(({ except }) => !except?.test(path))
    .flatMap(({ regex, better }) =>
      Array.from(text.matchAll(regex), ({ 0: words, index }) => ({
        line: text.slice(0, index).split('\n').length,
        fault: `“${words.replaceAll(/\s+/g, ' ')}”: better ${better}`,
      })),
    );
  return found
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, fault }) => `${path}:${line}: ${fault}`);
}

/** What was released stays as it was written. */
function current(path: string): string {
  const text = read(path);
  if (path !== 'CHANGELOG.md') return text;
  const released = /^## \[\d/m.exec(text);
  return released ? text.slice(0, released.index) : text;
}

if (import.meta.main) {
  const faults = checkWording();
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
