/** What can be checked about the alerts and the dashboard without running them. */
import { readFile } from 'node:fs/promises';

const root = new URL('../../', import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');

export const folder = new URL('deploy/monitoring/', root);
export const testFiles = ['alerts.test.yaml', 'alerts-days.test.yaml'];

interface Alert {
  name: string;
  /** Its row in the table of docs/runbooks.md, without what it fires on. */
  row: string;
}

function alertsIn(rules: string): Alert[] {
  const found = rules.matchAll(/- alert: (\w+)$.*?for: (\w+)$.*?severity: (\w+)$/gms);
  return Array.from(found, ([, name, after, severity]) => ({
    name: name!,
    row: `| [${name}](#${name!.toLowerCase()}) | ${severity} | ${after} | `,
  }));
}

/** Everything that is wrong. `expressions` are those of the dashboard. */
export async function staticFaults(expressions: readonly string[]): Promise<string[]> {
  const rules = await read('deploy/monitoring/alerts.yaml');
  const runbooks = await read('docs/runbooks.md');
  const metrics = await read('docs/metrics.md');
  const tests = (
    await Promise.all(testFiles.map((file) => read(`deploy/monitoring/${file}`)))
  ).join();
  const anchors = Array.from(runbooks.matchAll(/^## (\w+)$/gm), ([, title]) => title!);
  const alerts = alertsIn(rules);
  const names = alerts.map(({ name }) => name);
  const links = Array.from(rules.matchAll(/runbook_url: (\S+)$/gm), ([, link]) => link!);
  const known = new Set(Array.from(metrics.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name!));
  const used = [rules.replaceAll(/summary: .*|record: .*|job:\w+:\w+/g, ''), ...expressions]
    .flatMap((text) => text.match(/\b(?:clientele|process|nodejs)_\w+/g) ?? [])
    .map((name) => (known.has(name) ? name : name.replace(/_(?:count|bucket|sum)$/, '')));
  return [
    ...names
      .filter((name, i) => links[i] !== `docs/runbooks.md#${name.toLowerCase()}`)
      .map((name) => `${name} does not link to its runbook`),
    ...names
      .filter((name) => !anchors.includes(name))
      .map((name) => `docs/runbooks.md lacks ${name}`),
    ...alerts
      .filter(({ row }) => !runbooks.includes(row))
      .map(({ row }) => `docs/runbooks.md lacks the row ${row}`),
    ...anchors
      .filter((name) => !names.includes(name))
      .map((name) => `docs/runbooks.md has ${name}, which is no alert`),
    ...names
      .filter((name) => !tests.includes(`alertname="${name}"`))
      .map((name) => `no unit test lets ${name} fire`),
    ...[...new Set(used)]
      .filter((name) => !known.has(name))
      .map((name) => `docs/metrics.md lacks ${name}`),
  ];
}

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The rules with every duration divided by 60, and nothing else changed: minutes become seconds. */
export function quicker(rules: string): string {
  return rules.replaceAll(
    /(?<=for: |\[|\[\w+:)(\d+)([smhd])(?=\]|:|$)/gm,
    (_, number: string, unit: keyof typeof seconds) =>
      `${Math.max(1, Math.round((Number(number) * seconds[unit]) / 60))}s`,
  );
}

export const quickRules = async (): Promise<string> =>
  quicker(await read('deploy/monitoring/alerts.yaml'));
