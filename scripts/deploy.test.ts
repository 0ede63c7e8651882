/** What the files in `deploy/` promise and no tool checks. `pnpm deploy:check` runs them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timeouts, version } from '@clientele/server';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const deploy = join(import.meta.dirname, '../deploy');
const units = readdirSync(join(deploy, 'systemd'))
  .filter((name) => name.endsWith('.service'))
  .map((name) => ({ name, text: readFileSync(join(deploy, 'systemd', name), 'utf8') }));
const manifest = (name: string) =>
  parse(readFileSync(join(deploy, 'kubernetes/base', name), 'utf8'));
/** How long the server takes to stop, in seconds. */
const drain = (timeouts.turnAway + timeouts.lastLook + timeouts.drain) / 1_000;

test('all units have the same restrictions, and none that Node cannot run with', () => {
  const restrictions = units.map(({ text }) =>
    text.split('# Its own user')[1]?.split('\n[')[0]?.trimEnd(),
  );
  expect(restrictions[0]).toMatch(/^DynamicUser=yes$/m);
  expect(new Set(restrictions).size).toBe(1);
  for (const { name, text } of units) expect(text, name).not.toMatch(/^MemoryDenyWriteExecute=/m);
});

test('only the migration gets the login of the owner', () => {
  const withOwner = units.filter(({ text }) => text.includes('owner-url')).map(({ name }) => name);
  expect(withOwner).toEqual(['clientele-migrate.service']);
  expect(JSON.stringify(manifest('migrate.yaml'))).toContain('clientele-owner');
  expect(JSON.stringify(manifest('deployment.yaml'))).not.toContain('clientele-owner');
});

test('nothing kills the server while it drains', () => {
  const service = units.find(({ name }) => name === 'clientele.service')!.text;
  expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(service)?.[1])).toBeGreaterThan(drain + 2);
  const { spec } = manifest('deployment.yaml').spec.template;
  const [, preStop] = spec.containers[0].lifecycle.preStop.exec.command;
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(drain + Number(preStop) + 2);
});

test('the memory limit leaves room above the memory that the server aims for', () => {
  const limits = ['base', 'overlays/production'].map((folder) => {
    const path = join(deploy, 'kubernetes', folder);
    const { containers } = parse(readFileSync(join(path, 'deployment.yaml'), 'utf8')).spec.template
      .spec;
    const settings = readFileSync(join(path, 'kustomization.yaml'), 'utf8');
    const memory = Number(/CLIENTELE_MEMORY_MB=(\d+)/.exec(settings)?.[1] ?? 256);
    return Number.parseInt(containers[0].resources.limits.memory, 10) - memory;
  });
  for (const room of limits) expect(room).toBeGreaterThanOrEqual(64);
});

test.each(['deployment.yaml', 'migrate.yaml'])('%s names the version of this checkout', (name) => {
  const { containers, initContainers = [] } = manifest(name).spec.template.spec;
  const images = [...initContainers, ...containers].map(({ image }) => image);
  expect(new Set(images)).toEqual(new Set([`clientele:${version}`]));
});
