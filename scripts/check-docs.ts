/**
 * Checks what the documentation says, `pnpm docs:check`: links, paths, scripts, lists; then runs
 * the commands of the pages that people start from. `--no-run` leaves the commands out.
 */
import {
  checkDecisions,
  checkDoctor,
  checkErrors,
  checkLength,
  checkRejectRules,
  checkSearchExamples,
  checkSettings,
} from './docs/facts.ts';
import { checkBenchmarks, checkImportSpeed, checkMedians, checkMissed } from './docs/measured.ts';
import { files, read, root, section } from './docs/pages.ts';
import { checkEveryPath, checkLinks, checkPaths, checkScripts } from './docs/references.ts';
import {
  checkCommands,
  checkConnections,
  checkCounts,
  checkDefaults,
  checkLimits,
  checkOptions,
  checkParameters,
  checkRoles,
  checkScopes,
} from './docs/values.ts';
import { runDocumentedCommands } from './documented-commands.ts';

const say = (line: string): void => void process.stdout.write(`docs: ${line}\n`);
const pages = files('*.md');

const faults = [
  ...pages.flatMap((page) => [
    ...checkLinks(page),
    ...checkPaths(page),
    ...checkScripts(page),
    ...checkOptions(page),
  ]),
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap(checkEveryPath),
  ...checkLength('README.md', 130),
  ...checkLength('docs/scaling.md', 80),
  ...checkDecisions(),
  ...checkSettings(),
  ...checkErrors(),
  ...checkRejectRules(),
  ...checkDoctor(),
  ...checkSearchExamples(),
  ...checkLimits(section('docs/api.md', 'Limits')),
  ...checkParameters(section('docs/api.md', 'List customers'), section('docs/api.md', 'Timeline')),
  ...checkDefaults(section('docs/operations.md', 'Settings')),
  ...checkConnections(section('docs/operations.md', 'The database')),
  ...checkScopes(section('docs/api.md', 'Authentication')),
  ...checkRoles(section('docs/access.md', 'Scopes and roles')),
  ...checkCommands(section('docs/operations.md', 'Roles')),
  ...checkCounts(),
  ...(await checkBenchmarks(read('docs/benchmarks.md'))),
  ...checkMissed(section('docs/scaling.md', 'What was measured')),
  ...checkMedians(section('docs/scaling.md', 'What was measured')),
  ...checkImportSpeed(),
];
say(`checked ${pages.length} pages`);

if (!process.argv.includes('--no-run')) {
  const runnable = ['README.md', 'CONTRIBUTING.md', 'docs/operations.md', 'docs/how-to/npx.md'];
  runnable.push('docs/how-to/erase.md#The erasure drill');
  runnable.push(...files('docs/tutorials/*.md'));
  faults.push(...(await runDocumentedCommands(root, runnable, say)));
}
for (const fault of new Set(faults)) say(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
