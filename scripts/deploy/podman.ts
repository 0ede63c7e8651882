/** Podman, set up so that it also runs inside a container. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runWith } from '../release/run.ts';

/** A million open files, which Podman asks for by default, are refused there, and crun needs version 2 of cgroups. */
const settings = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
runtime = "runc"
`;

let environment: NodeJS.ProcessEnv | undefined;

export async function podman(...args: string[]): Promise<string> {
  environment ??= { CONTAINERS_CONF: settingsFile(), ...process.env };
  return (await runWith(environment, root, 'podman', ...args)).trim();
}

function settingsFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'clientele-podman-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'containers.conf');
  writeFileSync(file, settings);
  return file;
}
