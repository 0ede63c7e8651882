/** What answers requests, and what the page maps cost. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

interface Held {
  searches: number;
  bytes: number;
  limitBytes: number;
  evictions: number;
}

/** What the customers' side says about its page maps. */
export interface MapSource {
  held: Held;
  tally: {
    answers: Record<string, number>;
    adopted: Record<string, number>;
    onCount(count: { kind: string; cause: string; seconds: number }): void;
  };
}

export function addMapMetrics(customers: MapSource, registry: Registry): void {
  const { tally } = customers;
  const registers = [registry];
  const counts = new Histogram({
    name: 'clientele_count_duration_seconds',
    help: 'Time to count the matches of a search, by kind and cause.',
    labelNames: ['kind', 'cause'],
    buckets: [0.01, 0.05, 0.25, 1, 2.5, 5, 10, 30, 120, 600],
    registers,
  });
  tally.onCount = ({ kind, cause, seconds }) => counts.observe({ kind, cause }, seconds);

  new Counter({
    name: 'clientele_answers_total',
    help: 'Lists, searches and lookups that were answered, by what they were answered from.',
    labelNames: ['source'],
    registers,
    collect() {
      this.reset();
      for (const [source, number] of Object.entries(tally.answers)) this.inc({ source }, number);
    },
  });
  new Counter({
    name: 'clientele_page_maps_adopted_total',
    help: 'Page maps that were taken over instead of counted, by where they come from.',
    labelNames: ['from'],
    registers,
    collect() {
      this.reset();
      for (const [from, number] of Object.entries(tally.adopted)) this.inc({ from }, number);
    },
  });
  new Counter({
    name: 'clientele_page_map_evictions_total',
    help: 'Page maps that had to make room for others.',
    registers,
    collect() {
      this.reset();
      this.inc(customers.held.evictions);
    },
  });
  for (const [name, help, read] of [
    ['searches_remembered', 'Searches whose page map is cached.', (of: Held) => of.searches],
    ['page_map_bytes', 'Memory used by cached page maps.', (of: Held) => of.bytes],
    ['page_map_limit_bytes', 'Memory that page maps may use.', (of: Held) => of.limitBytes],
  ] as const) {
    new Gauge({
      ...{ name: `clientele_${name}`, help, registers },
      collect() {
        this.set(read(customers.held));
      },
    });
  }
}
