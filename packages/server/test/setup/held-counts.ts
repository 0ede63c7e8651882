/** Keeps counts from starting, and says whether they have left anything behind. */
import type { Nodes, ReadLanes } from '@clientele/directory';
import { expect, vi } from 'vitest';

export interface HeldCounts extends Disposable {
  /** Lets counts start. Again has no effect. */
  release(): void;
}

interface CountingNodes {
  all: readonly { database: Pick<ReadLanes, 'searches' | 'scans'> }[];
}

/** On the first node. Rows and warm pages have lanes of their own, and go on. */
export async function holdCounts({ all }: CountingNodes): Promise<HeldCounts> {
  const { searches, scans } = all[0]!.database;
  const held = [searches.slots, scans.slots].flatMap((slots) =>
    Array.from({ length: slots.size }, () => slots),
  );
  // Upkeep may have some for a moment.
  await Promise.all(held.map((slots) => slots.take(600_000)));
  const release = (): void => {
    for (const slots of held.splice(0)) slots.give();
  };
  return { release, [Symbol.dispose]: release };
}

/** As many counts wait as may, so that any other is refused at once. To be disposed before they are released. */
export function crowd(nodes: Nodes): Disposable {
  const { searches, scans } = nodes.all[0]!.database;
  const leave = new AbortController();
  for (const { slots } of [searches, scans]) {
    while (!slots.full) void slots.take(600_000, leave.signal);
  }
  return { [Symbol.dispose]: () => leave.abort() };
}

/** Resolves when nothing runs or waits any more, and every connection is back in its pool. */
export async function expectAtRest(nodes: Nodes): Promise<void> {
  const { database } = nodes.all[0]!;
  const lanes = [...database.lanes, ...Object.values(database.masked)];
  await vi.waitFor(
    () => {
      for (const { name, slots, connections } of lanes) {
        expect({ name, taken: slots.taken, waiting: slots.waiting, connections }).toEqual({
          ...{ name, taken: 0, waiting: 0 },
          connections: { open: connections.idle, idle: connections.idle },
        });
      }
    },
    { timeout: 300_000, interval: 10 },
  );
}
