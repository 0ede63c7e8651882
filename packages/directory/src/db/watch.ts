/** Watches the nodes: which respond, which is the primary, and how old the data of each replica is. */
import { isTooLate } from './errors.ts';
import type { Node } from './node.ts';
import { Probe, type Look } from './probe.ts';
import { WalHistory } from './wal-history.ts';

const everyMs = 1_000;
/** A replica is probed this much after the primary, so that it has replayed what the primary had written. */
const replicaAfterMs = 150;
/** A node that failed once is probed again at once: the second failure ejects it. */
const confirmMs = 100;
const failuresToEject = 2;
const looksToReturn = 2;
const mostBackOffMs = 8_000;

interface Watched {
  node: Node;
  probe: Probe;
  /** The latest look, and when it was complete. */
  look: Look | undefined;
  lookedAt: number;
  backOffMs: number;
  /** Successful looks since it was ejected. */
  good: number;
  /** Ends the pause before the next look. */
  wake: () => void;
}

export class Watch {
  readonly #watched: Watched[];
  readonly #wal = new WalHistory();
  /** The cluster that is served, and the latest timeline of its primary. */
  #known: { cluster: string; timeline: number } | undefined;
  #primary: { node: Node; run: string } | undefined;
  #primaryAskedAt = 0;
  #closed = false;

  constructor(nodes: readonly Node[]) {
    this.#watched = nodes.map((node) => ({
      node,
      probe: new Probe(node),
      look: undefined,
      lookedAt: -Infinity,
      backOffMs: everyMs,
      good: 0,
      wake: () => undefined,
    }));
  }

  /** Resolves when every node has been looked at. */
  async start(): Promise<void> {
    await Promise.all(this.#watched.map((each) => this.#visit(each)));
    // How old a replica is takes two looks.
    const responding = this.#watched.filter(({ node }) => node.responds);
    await Promise.all(responding.map((each) => this.#visit(each)));
    for (const each of this.#watched) void this.#keepVisiting(each);
  }

  /** A request failed on this node: looks at it now. */
  suspect(node: Node): void {
    if (!node.ejected) this.#watched.find((each) => each.node === node)?.wake();
  }

  close(): void {
    this.#closed = true;
    for (const { probe, wake } of this.#watched) {
      probe.close();
      wake();
    }
  }

  async #keepVisiting(each: Watched): Promise<void> {
    for (;;) {
      await this.#pause(each);
      if (this.#closed) return;
      await this.#visit(each);
    }
  }

  async #visit(each: Watched): Promise<void> {
    const askedAt = performance.now();
    try {
      const witnesses = this.#watched.flatMap(({ look }) => look?.witness ?? []);
      this.#saw(each, await each.probe.look(witnesses), askedAt);
    } catch (error) {
      this.#missed(each, isTooLate(error));
    }
  }

  #pause(each: Watched): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => each.wake(), this.#pauseMs(each)).unref();
      each.wake = () => {
        each.wake = () => undefined;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #pauseMs({ node, backOffMs, good }: Watched): number {
    if (node.ejected) {
      // Instances must not all come back at the same moment. While nothing responds, no node waits longer.
      if (good > 0 || !this.#someResponds()) return everyMs / 2 + (Math.random() * everyMs) / 2;
      return backOffMs * (0.75 + Math.random() / 2);
    }
    if (node.failures > 0) return node.failures < failuresToEject ? confirmMs : everyMs;
    if (node.role !== 'replica') return everyMs;
    const since = (performance.now() - this.#primaryAskedAt - replicaAfterMs) % everyMs;
    return since < 0 ? -since : everyMs - since;
  }

  #someResponds(except?: Node): boolean {
    return this.#watched.some(
      ({ node }) => node !== except && node.responds && node.history !== 'foreign',
    );
  }

  #missed(each: Watched, tooLate: boolean): void {
    const { node } = each;
    const othersRespond = this.#someResponds(node);
    const wasLast = node.responds && !othersRespond;
    node.failures += 1;
    node.down = node.failures >= failuresToEject && !tooLate;
    each.good = 0;
    if (node.ejected) each.backOffMs = Math.min(2 * each.backOffMs, mostBackOffMs);
    // The last one stays: unless it is down, trying it is better than giving up.
    else if (node.failures >= failuresToEject && othersRespond) {
      each.backOffMs = everyMs;
      node.eject();
    }
    if (wasLast) this.#watched.forEach((other) => other.node.ejected && other.wake());
  }

  #saw(each: Watched, look: Look, askedAt: number): void {
    const { node, look: before } = each;
    const role = look.standby ? 'replica' : 'primary';
    // It was restarted or rebuilt: what was known about its data is void.
    if (before?.run !== look.run || look.position < before.position || role !== node.role) {
      node.history = 'unknown';
      node.asOf = -Infinity;
    }
    each.look = look;
    each.lookedAt = performance.now();
    node.failures = 0;
    node.down = false;
    node.role = role;
    if (look.standby) this.#sawReplica(each, look);
    else this.#sawPrimary(each, look, askedAt);
    if (!node.ejected) return;
    each.good += 1;
    const othersRespond = this.#someResponds(node);
    if (each.good >= looksToReturn || !othersRespond) void node.readmit(!othersRespond);
  }

  #sawReplica({ node }: Watched, look: Look): void {
    node.asOf = Math.max(node.asOf, this.#wal.shownBy(look.position));
    // Only a later look at the primary shows whether it has everything that this replica has.
    if (node.history !== 'unknown') return;
    this.#watched.find((each) => each.node === this.#primary?.node && each.node.responds)?.wake();
  }

  /** A server may still act as the primary after another one was promoted. */
  #sawPrimary(each: Watched, look: Look, askedAt: number): void {
    const { node } = each;
    const others = this.#watched.filter((other) => other !== each && other.node.responds);
    const sameCluster = this.#known?.cluster === look.cluster;
    const replaced = sameCluster && look.timeline < this.#known!.timeline;
    const intruder =
      !sameCluster && others.some((other) => other.look?.cluster === this.#known?.cluster);
    node.history = replaced || intruder ? 'foreign' : 'ours';
    if (node.history === 'foreign') return;

    const changed =
      this.#primary?.node !== node ||
      this.#primary.run !== look.run ||
      this.#known?.timeline !== look.timeline;
    this.#known = { cluster: look.cluster, timeline: look.timeline };
    this.#primary = { node, run: look.run };
    this.#primaryAskedAt = askedAt;
    this.#wal.note(askedAt, look.position);
    for (const other of others) this.#compare(other, look, askedAt, changed);
  }

  /**
   * Replicas receive only what the primary has written, so none can be ahead of a later look at it, or
   * show an entry of the change log that it lacks.
   */
  #compare(other: Watched, primary: Look, askedAt: number, changed: boolean): void {
    const { node, look, lookedAt } = other;
    if (!look) return;
    if (!look.standby) {
      if (look.cluster !== primary.cluster || look.timeline < primary.timeline) {
        node.history = 'foreign';
      }
      return;
    }
    if (changed) node.history = 'unknown';
    if (look.cluster !== primary.cluster) node.history = 'foreign';
    else if (lookedAt < askedAt && node.history !== 'foreign') {
      const lacked = look.witness !== null && primary.lacks.includes(look.witness.nonce);
      node.history = lacked || look.position > primary.position ? 'foreign' : 'ours';
    }
    node.asOf = Math.max(node.asOf, this.#wal.shownBy(look.position));
  }
}
