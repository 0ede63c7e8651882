/**
 * The share of a service's CPU time that some of its files use, by V8's profiler. Where two processes differ by more
 * than what is measured, as on a shared machine, this still gives an answer: it comes from inside one process.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Profile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string };
    children?: number[];
  }[];
  samples: number[];
  timeDeltas: number[];
}

/** `run` starts a process with the environment that it is given, and returns when that has exited. */
export async function cpuShare(
  run: (env: Record<string, string>) => Promise<void>,
  isCounted: (url: string) => boolean,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'clientele-profile-'));
  try {
    await run({ NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` });
    let all = 0;
    let counted = 0;
    for (const name of await readdir(folder)) {
      const profile = JSON.parse(await readFile(join(folder, name), 'utf8')) as Profile;
      const owners = ownersOf(profile);
      for (const [i, node] of profile.samples.entries()) {
        const owner = owners.get(node);
        if (owner === undefined) continue;
        all += profile.timeDeltas[i]!;
        if (isCounted(owner)) counted += profile.timeDeltas[i]!;
      }
    }
    if (all === 0) throw new Error('The process wrote no profile.');
    return counted / all;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** For each node the file of ours that it works for: that of the nearest caller. Idle nodes have none. */
function ownersOf({ nodes }: Profile): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const owners = new Map<number, string>();
  const visit = (id: number, owner: string): void => {
    const { callFrame, children } = byId.get(id)!;
    if (callFrame.functionName === '(idle)') return;
    const own = callFrame.url.includes('/packages/') ? callFrame.url : owner;
    owners.set(id, own);
    for (const child of children ?? []) visit(child, own);
  };
  visit(nodes[0]!.id, '');
  return owners;
}
