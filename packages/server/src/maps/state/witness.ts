/**
 * What lets a state be used on another node, or in another run of the server: docs/decisions/maps-that-travel.md.
 *
 * Every entry of the log has a random nonce and says before which transaction all others had ended when it
 * was written. A snapshot that sees the nonce, the witness, shares the history up to the commit of that
 * entry, so those transactions have ended there too, in the same way. The transactions from there on
 * are compared one by one. Their ids mean the same there: none is greater than the id of the witness, which
 * was assigned before it committed.
 */

/** A state without its node: what it includes of the log is `seen` and everything before `since`. */
export interface Portable {
  readonly since: bigint;
  readonly seen: readonly bigint[];
  readonly witness: { readonly xid: bigint; readonly nonce: string };
}

/** Whether a state with this witness can stay as it is. */
export type IsGoodWitness = (witness: Portable['witness']) => boolean;

/** The visible entry with the greatest transaction id, as a statement reports it. */
export interface Witnessed {
  /** All transactions before it have ended in this snapshot. */
  xmin: string;
  /** '0' for the row that stands in for an empty log. */
  xid: string;
  oldest: string;
  nonce: string;
  /** The visible transactions from `oldest` and `xmin` on, as far as they are listed. */
  recent: string[];
}

/** A state with more of them stays with its run of the server, until the transactions it waits for have ended. */
export const mostRecent = 1_000;

/** A Witnessed as JSON. From a CTE `here` with `nonce` and `oldest`, those of the horizon; of entries `e` that concern. */
export const witnessColumn = (wanted: string, concerns: string): string => `
  case when ${wanted} then (
    select json_build_object(
      'xmin', w.xmin, 'xid', w.xid, 'oldest', w.oldest, 'nonce', w.nonce, 'recent', array(
        with recursive recent(xid) as (
          (
            select e.xid from clientele.changes as e
            where e.xid >= least(w.xmin, w.oldest) and ${concerns} order by e.xid limit 1
          )
          union all
          select (
            select e.xid from clientele.changes as e where e.xid > r.xid and ${concerns}
            order by e.xid limit 1
          )
          from recent as r where r.xid is not null
        )
        select r.xid from recent as r where r.xid is not null limit ${mostRecent + 1}
      ))
    from (
      select pg_snapshot_xmin(pg_current_snapshot()) as xmin, coalesce(e.xid, '0') as xid,
        coalesce(e.oldest, here.oldest) as oldest, coalesce(e.nonce, here.nonce) as nonce
      from (select) as one
      left join (
        select e.xid, e.oldest, e.nonce from clientele.changes as e where ${concerns}
        order by e.xid desc limit 1
      ) as e on true
    ) as w
  ) end as witnessed`;

/** Undefined where the state can be used in its own run of the server only. */
export function portable(
  { xmin, xid, oldest, nonce, recent }: Witnessed,
  horizon: bigint,
): Portable | undefined {
  const witness = { xid: BigInt(xid), nonce };
  const ended = oldest === xid ? witness.xid + 1n : BigInt(oldest);
  const since = ended < BigInt(xmin) ? ended : BigInt(xmin);
  // Before the horizon, entries are missing that an older snapshot on another node still sees.
  if (since < horizon || recent.length > mostRecent) return undefined;
  return { since, witness, seen: recent.map(BigInt).filter((seen) => seen >= since) };
}
