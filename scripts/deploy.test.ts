/** What the files in `deploy/` promise and no tool checks. `pnpm deploy:check` runs them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timeouts, version } from '@clientele/directory';
import { expect, test } from 'vitest';
import { CronJob } from 'kubernetes-models/batch/v1';
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

test('Compose gives the server a login of its own, and everything whose absence it would warn of', () => {
  const { services } = parse(readFileSync(join(deploy, 'compose.yaml'), 'utf8'), { merge: true });
  const { environment, secrets, read_only: readOnly, volumes } = services.clientele;
  expect(secrets).toEqual(['serve-url']);
  expect(environment.DATABASE_URL_FILE).toBe('/run/secrets/serve-url');
  expect(readOnly).toBe(true);
  for (const file of [environment.CLIENTELE_AUDIT_SPOOL, environment.CLIENTELE_SECRET_FILE]) {
    expect(file).toMatch(new RegExp(`^${volumes[0].split(':')[1]}/`));
  }
  expect(environment.CLIENTELE_ADMIN_PORT).toBe('9090');
  expect(services.clientele.ports.join()).not.toContain('9090');
});

test('the secrets of Compose are new, and contain the login that the database is created with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-secrets-'));
  try {
    cpSync(join(deploy, 'new-secrets'), join(folder, 'new-secrets'));
    execFileSync(join(folder, 'new-secrets'), { stdio: 'ignore' });
    const file = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8');
    const url = new URL(file('serve-url').trim());
    expect(url.username).toBe('clientele_serve');
    expect(file('logins.sql')).toContain(`clientele_serve login password '${url.password}'`);
    expect(file('owner-url')).toContain(`:${file('database-password')}@`);
    expect(file('owner-url')).not.toContain(url.password);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('entries of the audit are kept on a volume that outlives containers and pods, or nowhere', () => {
  const { containers, volumes } = manifest('deployment.yaml').spec.template.spec;
  expect(containers[0].env).toContainEqual({ name: 'CLIENTELE_AUDIT_SPOOL', value: 'none' });
  expect(JSON.stringify(volumes)).not.toContain('emptyDir');
  const image = readFileSync(join(deploy, 'container/Containerfile'), 'utf8');
  expect(image).toMatch(/^ENV CLIENTELE_AUDIT_SPOOL=none$/m);

  const read = (file: string) =>
    parse(readFileSync(join(deploy, 'kubernetes/components/spool', file), 'utf8'));
  const { spec } = read('deployment.yaml').spec.template;
  const [container] = spec.containers;
  const [{ name, mountPath }] = container.volumeMounts;
  // A folder in the volume, not the volume itself: it has to belong to the user of the service.
  expect(container.env).toEqual([
    { name: 'CLIENTELE_AUDIT_SPOOL', value: expect.stringMatching(`^${mountPath}/\\w+$`) },
  ]);
  const claim = read('claim.yaml');
  expect(spec.volumes).toEqual([
    { name, persistentVolumeClaim: { claimName: claim.metadata.name } },
  ]);
  // All pods share it, and a rollout starts a new one before it stops an old one.
  expect(claim.spec.accessModes).toEqual(['ReadWriteMany']);
});

test('pods reach the provider of sign-ins only with its component', () => {
  const ports = JSON.stringify(manifest('network-policy.yaml').spec.egress);
  expect(ports).not.toContain('443');
  const component = join(deploy, 'kubernetes/components/sign-in/kustomization.yaml');
  const { patches } = parse(readFileSync(component, 'utf8'));
  expect(patches[0].target).toEqual({ kind: 'NetworkPolicy', name: 'clientele' });
  expect(parse(patches[0].patch)).toEqual([
    { op: 'add', path: '/spec/egress/-', value: { ports: [{ protocol: 'TCP', port: 443 }] } },
  ]);
});

test('the job for retention is a valid CronJob that uses the ledger and the secret of its component', () => {
  const read = (file: string) =>
    parse(readFileSync(join(deploy, 'kubernetes/components', file), 'utf8'));
  const job = new CronJob(read('retention/cronjob.yaml'));
  expect(() => job.validate()).not.toThrow();
  const { containers, volumes } = job.spec.jobTemplate.spec!.template.spec!;
  const ledger = read('ledger/deployment.yaml').spec.template.spec;
  expect(volumes).toEqual(expect.arrayContaining(ledger.volumes));
  expect(containers[0]!.env).toEqual(expect.arrayContaining(ledger.containers[0].env));
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
