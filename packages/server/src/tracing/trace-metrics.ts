import { Counter, type Registry } from 'prom-client';
import type { Exporter } from './exporter.ts';

export function addTraceMetrics(exporter: Exporter, registry: Registry): void {
  new Counter({
    name: 'clientele_trace_spans_total',
    help: 'Spans of traces, by what became of them.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ result: 'exported' }, exporter.exported);
      this.inc({ result: 'dropped' }, exporter.dropped);
    },
  });
}
