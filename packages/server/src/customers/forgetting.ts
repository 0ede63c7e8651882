/**
 * What every instance does so that nothing of an erased person is left: docs/decisions/erasure.md. It has the primary
 * complete erasures and clear old text of the change log, and it forgets what it has in memory itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Nodes, Statement } from '@clientele/directory';

/** How often to look for erasures, in milliseconds. Entries of the log are blanked when they are three seconds old. */
const lookMs = 1_000;
/** How often to forget, and for how long after the last sign of an erasure: somebody may search for the person. */
const forgetMs = 30_000;
const forgetForMs = 75_000;
/** How often to try to complete erasures. */
const completeMs = 5_000;
/** How often to look for old text. Half an hour is left for it: see the migration. */
const oldTextMs = 300_000;

interface Forgetful {
  /** Brings everything that is in memory past the erasures. */
  catchUp(signal: AbortSignal): Promise<void>;
  /** Drops everything that may be about one person. */
  forget(): void;
}

interface Erasures {
  pending: boolean;
  /** When the last one was completed. */
  cleared: string | null;
}

const erasuresStatement: Statement = {
  name: 'erasures',
  text: `
    select exists (select from clientele.erasures as e where e.cleared_at is null) as pending,
      (select max(e.cleared_at)::text from clientele.erasures as e) as cleared`,
};

const completeStatements: Statement[] = [
  { name: 'analyze-erased', text: 'select clientele.analyze_erased()' },
  { name: 'clear-erasures', text: 'select clientele.clear_erasures()' },
];

const oldTextStatement: Statement = {
  name: 'clear-old-text',
  text: 'select clientele.clear_old_text() as more',
};

/** Until the signal fires. */
export async function followErasures(
  { authority }: Nodes,
  memory: Forgetful,
  signal: AbortSignal,
): Promise<void> {
  let cleared: string | null | undefined;
  let [noticed, forgot, completed] = [-Infinity, -Infinity, -Infinity];
  const look = async (): Promise<void> => {
    const [erasures] = await authority.writes.query<Erasures>(erasuresStatement, [], signal);
    const { pending } = erasures!;
    const now = performance.now();
    if (pending || (cleared !== undefined && cleared !== erasures!.cleared)) noticed = now;
    cleared = erasures!.cleared;
    if (now < noticed + forgetForMs && now >= forgot + forgetMs) {
      memory.forget();
      forgot = now;
    }
    if (!pending) return;
    await memory.catchUp(signal);
    if (now < completed + completeMs) return;
    completed = now;
    for (const statement of completeStatements) await authority.upkeep.query(statement, [], signal);
  };
  await repeat(look, lookMs, signal);
}

/** Until the signal fires. */
export async function keepClearingOldText(
  { authority }: Nodes,
  signal: AbortSignal,
): Promise<void> {
  const clear = async (): Promise<void> => {
    for (let more = true; more;) {
      const rows = await authority.upkeep.query<{ more: boolean }>(oldTextStatement, [], signal);
      more = rows[0]!.more;
    }
  };
  await repeat(clear, oldTextMs, signal);
}

async function repeat(
  work: () => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // Without a primary, or while it is busy, the next time is soon enough.
    await work().catch(() => undefined);
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
