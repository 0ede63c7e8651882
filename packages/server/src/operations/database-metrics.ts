/** Whether this instance can serve, and what can keep its database from serving well. */
import { Gauge, type Registry } from 'prom-client';
import type { Nodes } from '@clientele/directory';
import { toProblemError } from '../http/error-handler.ts';
import type { CheckReadiness } from './health.ts';
import { atMostEvery, FactsReader, type DatabaseFacts } from './scraped.ts';

const readinessForMs = 1_000;
const factsForMs = 10_000;

/** The codes that `/readyz` may respond with. */
const causes = [
  'shutting-down',
  'database-unavailable',
  'database-mismatch',
  'erasures-missing',
  'replica-stale',
  'query-timeout',
  'internal-error',
] as const;

const gauges: { name: string; help: string; read: (of: DatabaseFacts) => number | null }[] = [
  {
    name: 'clientele_change_log_entries',
    help: 'About how many entries clientele.changes has.',
    read: ({ logEntries }) => logEntries,
  },
  {
    name: 'clientele_change_log_bytes',
    help: 'Size of clientele.changes on disk, with its index.',
    read: ({ logBytes }) => logBytes,
  },
  {
    name: 'clientele_oldest_transaction_seconds',
    help: 'How long the oldest transaction that can be seen has been open at least.',
    read: ({ oldestTransaction }) => oldestTransaction,
  },
  {
    name: 'clientele_last_import_timestamp_seconds',
    help: 'When an import or a sync last saved customers.',
    read: ({ lastImport }) => lastImport,
  },
];

export function addDatabaseMetrics(
  nodes: Nodes,
  checkReadiness: CheckReadiness,
  registry: Registry,
): void {
  const registers = [registry];
  const whyNotReady = atMostEvery(readinessForMs, () =>
    checkReadiness().then(
      () => undefined,
      (error: unknown) => toProblemError(error).code,
    ),
  );
  new Gauge({
    name: 'clientele_ready',
    help: '1 if this instance can serve requests, as /readyz says.',
    registers,
    async collect() {
      this.set(Number((await whyNotReady()) === undefined));
    },
  });
  new Gauge({
    name: 'clientele_not_ready',
    help: '1 for the reason why this instance cannot serve requests.',
    labelNames: ['cause'],
    registers,
    async collect() {
      const reason = await whyNotReady();
      for (const cause of causes) this.set({ cause }, Number(cause === reason));
    },
  });

  const reader = new FactsReader(nodes.authority.lookups);
  const facts = atMostEvery(factsForMs, () => reader.read().catch(() => undefined));
  for (const { name, help, read } of gauges) {
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        const known = await facts();
        const value = known ? read(known) : null;
        // Nothing is better than an old value, or a zero.
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }
  if (nodes.all.length > 1) return;
  const node = nodes.all[0]!.name;
  new Gauge({
    ...{ name: 'clientele_node_lag_seconds', help: 'How old the data of the node may be.' },
    ...{ labelNames: ['node'], registers },
    async collect() {
      const known = await facts();
      if (known) this.set({ node }, known.lag);
      else this.reset();
    },
  });
}
