/** Alerts, runbooks, the dashboard and the page of metrics agree. `pnpm monitoring:check` runs them. */
import { expect, test } from 'vitest';
import { dashboard, expressions } from '../deploy/monitoring/dashboard.ts';
import { quicker, quickRules, staticFaults } from './monitoring/rules.ts';

test('every alert has a runbook and a unit test, and every metric is documented', async () => {
  expect(await staticFaults(expressions)).toEqual([]);
});

test('a metric that does not exist is noticed', async () => {
  expect(await staticFaults(['rate(clientele_typo_total[5m])'])).toEqual([
    'docs/metrics.md lacks clientele_typo_total',
  ]);
});

test('the dashboard shows every expression once, and no two panels overlap', () => {
  const panels = dashboard.panels as {
    gridPos: { x: number; y: number };
    targets?: { expr: string }[];
  }[];
  expect(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))).toEqual(
    expressions,
  );
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(places.length);
});

test('quicker rules differ in their durations only', async () => {
  const rules = 'for: 2m\nexpr: rate(job:x:rate5m[5m]) > 900 and changes(y[7d:1h]) >= 3\n';
  expect(quicker(rules)).toBe(
    'for: 2s\nexpr: rate(job:x:rate5m[5s]) > 900 and changes(y[10080s:60s]) >= 3\n',
  );
  const quick = await quickRules();
  expect(quick).not.toMatch(/\[\d+[mhd]|for: \d+[mhd]/);
  expect(quick).toContain('ratio_rate1h > 14.4 * 0.001');
});
