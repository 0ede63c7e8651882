import { Counter, Gauge, type Registry } from 'prom-client';
import type { AuditLog } from '@clientele/directory';

export function addAuditMetrics(log: AuditLog, registry: Registry): void {
  const registers = [registry];
  new Counter({
    name: 'clientele_audit_entries_total',
    help: 'Answers about customers, by where they were recorded.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, number] of Object.entries(log.tally)) this.inc({ result }, number);
    },
  });
  new Gauge({
    name: 'clientele_audit_spooled_bytes',
    help: 'Entries on the disk of this instance that the primary does not have yet.',
    registers,
    collect() {
      this.set(log.spooledBytes);
    },
  });
}
