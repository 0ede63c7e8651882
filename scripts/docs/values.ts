/** Values in the pages are those in the code: limits, defaults, ranges, scopes, roles, commands, counts. */
import { createProgram } from '@clientele/cli/program';
import { limits, problems, scopes } from '@clientele/contract';
import { connectionsNeeded, readConnections, timeouts } from '@clientele/directory';
import { readConfig } from '@clientele/server';
import { compare, firstGroups } from './compare.ts';
import { codeSpans, files, read } from './pages.ts';

const someDatabase = { DATABASE_URL: 'postgres://somebody@localhost/clientele' };
const number = (value: number): string => value.toLocaleString('en');
const seconds = (ms: number): string => `${ms / 1_000} s`;

/** A number that only one file of the server knows. */
const constant = (file: string, name: string): number =>
  Number(new RegExp(`const ${name} = ([\\d_]+)`).exec(read(file))?.[1]?.replaceAll('_', ''));

/** The rows of a table, by their first cell. */
const rowsOf = (text: string): Map<string, string> =>
  new Map(
    Array.from(text.matchAll(/^\| ([^|]+) \|(.+)\|$/gm), ([, first = '', rest = '']) => [
      first,
      rest,
    ]),
  );

/** Each row has each of the values, as a word of its own. */
function expectValues(where: string, text: string, expected: Record<string, string[]>): string[] {
  const rows = rowsOf(text);
  return Object.entries(expected).flatMap(([start, values]) => {
    const row = [...rows].find(([first]) => first.startsWith(start))?.[1];
    if (row === undefined) return [`${where}: there is no row ${start}`];
    return values
      .filter((value) => !new RegExp(`(?<![\\d,.])${value}(?![\\d,]*\\d)`).test(row))
      .map((value) => `${where}, ${start}: the code says ${value}`);
  });
}

export function checkLimits(text: string): string[] {
  const { rate: ofKeys, concurrency } = readConfig(someDatabase);
  const perMinute = (file: string, name: string): string[] => {
    const rate = constant(`packages/server/src/${file}.ts`, name);
    return [number(rate), number(rate / 6)];
  };
  const ofOneKey = Math.min(concurrency.perKey, Math.ceil((3 * concurrency.searches) / 4));
  return expectValues('docs/api.md, Limits', text, {
    'Headers must arrive': [seconds(timeouts.headers), seconds(timeouts.request)],
    'Reads (lists': [number(ofKeys.reads), number(ofKeys.reads / 6)],
    'Searches per key': [number(ofKeys.searches), number(ofKeys.searches / 6)],
    'Lookups of one key': perMinute('app', 'notFoundPerMinute'),
    'Reads in progress': [`${concurrency.reads}`, `${concurrency.perKey}`],
    'Searches in progress': [`${concurrency.searches}`, `${ofOneKey}`],
    'Wrong keys': perMinute('access/identity-guard', 'wrongKeysPerMinute'),
    'Failed sign-ins': [
      ...perMinute('access/sessions/routes', 'failuresPerMinute').slice(0, 1),
      ...perMinute('access/people/routes', 'failuresPerMinute'),
    ],
    'Sign-outs': perMinute('access/people/routes', 'forgedSignOutsPerMinute').slice(0, 1),
    'Wait for a database': [`${timeouts.slot} ms`, seconds(timeouts.countSlot)],
    Query: [`${timeouts.lookup} ms`, seconds(timeouts.list), `${timeouts.scan / 60_000} minutes`],
    Response: [seconds(timeouts.handler)],
    'Unread response': [seconds(timeouts.response)],
    'Connections of': [
      number(constant('packages/server/src/http/connections.ts', 'mostConnections')),
    ],
    'Idle connection': [seconds(timeouts.keepAlive), seconds(timeouts.idleAmongMany)],
  });
}

export function checkParameters(list: string, timeline: string): string[] {
  const { page, perPage, search, buckets } = limits;
  const range = ({ min, max }: { min: number; max: number }) => `${min} to ${number(max)}`;
  return [
    ...expectValues('docs/api.md, List customers', list, {
      '`page`': [range(page), `${page.default}`],
      '`perPage`': [range(perPage), `${perPage.default}`],
      '`search`': [`${search.maxCodePoints} code points`, `${search.maxTerms} terms`],
    }),
    ...expectValues('docs/api.md, Timeline', timeline, {
      '`buckets`': [range(buckets), `${buckets.default}`],
    }),
  ];
}

/** Setting a variable to its documented default changes nothing, and values just outside its range are refused. */
export function checkDefaults(text: string): string[] {
  const others = { ...someDatabase, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
  const usual = JSON.stringify(readConfig(others));
  const isRefused = (name: string, value: number): boolean => {
    try {
      readConfig({ ...others, [name]: `${value}` });
      return false;
    } catch {
      return true;
    }
  };
  return [...rowsOf(text)].flatMap(([first, rest]) => {
    const name = first.replaceAll('`', '');
    // Only together with files of a provider.
    if (name.startsWith('CLIENTELE_OIDC_')) return [];
    const where = `docs/operations.md, Settings, ${name}`;
    const [, value] = /^ `([^`]+)` \|/.exec(rest) ?? [];
    if (value !== undefined && JSON.stringify(readConfig({ ...others, [name]: value })) !== usual) {
      return [`${where}: ${value} is not the default`];
    }
    const [, least, most] = /\b(\d+) to (\d+)\b/.exec(rest)?.map(Number) ?? [];
    if (least === undefined || most === undefined || name.startsWith('OTEL_')) return [];
    const isRange = isRefused(name, least - 1) && isRefused(name, most + 1);
    const isAllowed = !isRefused(name, least) && !isRefused(name, most);
    return isRange && isAllowed ? [] : [`${where}: ${least} to ${most} is not its range`];
  });
}

/** The table of the connections of an instance, without and with masking. */
export function checkConnections(text: string): string[] {
  const rows = [...text.matchAll(/^ *\| `(\d+)` \| (\d+) \| (\d+) \|$/gm)];
  const documented = rows.map(([, ...cells]) => cells.join(' '));
  const known = rows.map(([, setting]) => {
    const connections = readConnections({ CLIENTELE_CONNECTIONS: setting });
    return [setting, ...[false, true].map((on) => connectionsNeeded(connections, on))].join(' ');
  });
  if (rows.length === 0) return ['docs/operations.md: the table of connections is missing'];
  return compare('docs/operations.md, connections', documented, known);
}

export const checkScopes = (text: string): string[] =>
  compare('docs/api.md, scopes', firstGroups(text, /^\| `(customers:\w+)` \|/gm), [...scopes]);

/** The table says `yes` where a role has the scopes of the column. */
export function checkRoles(text: string): string[] {
  const source = 'packages/server/src/settings/roles.ts';
  const [, usual = ''] = read(source).split('const usualRoles');
  const known = Array.from(
    usual.split('\n};')[0]!.matchAll(/^ {2}'?([\w-]+)'?: \[(.+)\]/gm),
    ([, role, list = '']) => firstGroups(list, /'([\w:]+)'/g).map((scope) => `${role} ${scope}`),
  );
  const header = /^\| Role \|(.+)\|$/m.exec(text)?.[1] ?? '';
  const columns = header.split('|').map(codeSpans);
  const documented = Array.from(rowsOf(text), ([role, cells]) =>
    cells
      .split('|')
      .flatMap((cell, at) => (cell.trim() === 'yes' ? columns[at]! : []))
      .map((scope) => `${role.replaceAll('`', '')} ${scope}`),
  );
  const perDay = `at most ${number(constant(source, 'usualRecordsPerDay'))} customers`;
  return [
    ...compare('docs/access.md, roles', documented.flat(), known.flat()),
    ...(read('docs/access.md').includes(perDay) ? [] : [`docs/access.md: people see ${perDay}`]),
  ];
}

/** Every command has one row that says which login and settings it needs. */
export function checkCommands(text: string): string[] {
  const cells = [...rowsOf(text)].filter(([, rest]) => rest.split('|').length === 2);
  const documented = cells.flatMap(([first]) => codeSpans(first));
  const known = createProgram().commands.map((command) => command.name());
  return compare('docs/operations.md, Roles', documented, known);
}

/** Every option that a page gives to a command is one of that command. Those of a demo's import come after `--`. */
export function checkOptions(page: string, text = read(page)): string[] {
  const program = createProgram();
  const code = text.replaceAll(/\\\n\s*/g, '');
  return Array.from(
    code.matchAll(/\bclientele ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?([^\n`|;&#]*)/g),
    ([, name, sub, rest = '']) => {
      const command = program.commands.find((each) => each.name() === name);
      const inner = command?.commands.find((each) => each.name() === sub) ?? command;
      const known = inner?.options.map(({ long }) => long) ?? [];
      const used = rest.replaceAll(/'[^']*'|"[^"]*"/g, '').split(' -- ')[0]!;
      return firstGroups(used, /(?:^|\s)(--[a-z][a-z-]*)/g)
        .filter((option) => inner && !known.includes(option) && option !== '--help')
        .map((option) => `${page}: clientele ${name} has no option ${option}`);
    },
  ).flat();
}

/** Counts in prose that grow with the code. */
export function checkCounts(
  pages = files('*.md').map((page) => [page, read(page)] as const),
): string[] {
  const { cases } = JSON.parse(read('packages/contract/fixtures/search-cases.json')) as {
    cases: unknown[];
  };
  const systems = firstGroups(
    read('packages/import/src/preset-list.ts'),
    /^ {2}'?([A-Z][\w ]+)'?: \{$/gm,
  );
  const sizes = firstGroups(files('bench/results/*.json').join('\n'), /(\d+)\.json/g).map(Number);
  const known: [count: number, words: RegExp][] = [
    [cases.length, /\b(\w+) (?:search cases|searches with their)/g],
    [systems.length, /exports of \[?(\w+)\s(?:common\s)?systems/gi],
    [Math.max(...sizes) / 1e6, /Measured with up to \[(\d+) million customers/g],
    [Object.keys(problems).length, /\b(\w+) error codes/g],
  ];
  return pages.flatMap(([page, text]) =>
    known.flatMap(([count, words]) =>
      Array.from(text.matchAll(words))
        .filter(([, written]) => /^\d|^(nine|ten|eleven|twelve|fifteen)$/.test(written!))
        .filter(([, written]) => Number(written) !== count)
        .map(([all]) => `${page}: ${all}, but there are ${count}`),
    ),
  );
}
