/**
 * Has the primary publish a snapshot every second, as long as reads go to standbys: with every page, a standby reads
 * what the log has listed since the last one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Nodes } from '@clientele/directory';

const everyMs = 1_000;

const publishStatement = { name: 'publish-changes', text: 'select clientele.publish_changes()' };

/** Until the signal fires. */
export async function keepPublishing(nodes: Nodes, signal: AbortSignal): Promise<void> {
  const pause = () => sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  for (; !signal.aborted; await pause()) {
    if (!nodes.usable.some(({ role }) => role === 'replica')) continue;
    // Without a primary, nothing is written either.
    await nodes.authority.writes.query(publishStatement, [], signal).catch(() => undefined);
  }
}
