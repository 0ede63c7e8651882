/** Runs the measures, one row per letter. Ratios are medians of ratios within one run. */
import { startService } from '../service.ts';
import { coldBroadSearches, coldRareSearches } from './cold-searches.ts';
import { lookupsDuringScans, pagesDuringInserts, searchesDuringWrites } from './contention.ts';
import { firstImport } from './first-import.ts';
import { firstRows } from './first-rows.ts';
import { heldTransaction } from './held-transaction.ts';
import type { Bench, Row } from './measure.ts';
import { memoryAfterSearches } from './memory.ts';
import { newInstance } from './new-instance.ts';
import { sessions } from './sessions.ts';
import { distinctPages, throughput } from './throughput.ts';
import { trimmingWithSnapshot } from './trimming.ts';
import { typing } from './typing.ts';
import { warmPages } from './warm-pages.ts';
import { writeCosts } from './write-costs.ts';

export async function measureAll(bench: Bench): Promise<Row[]> {
  const isSelected = (letter: string): boolean => bench.only?.includes(letter) ?? true;
  const rows: Row[] = [];
  const add = async (letters: string, measure: () => Promise<Row[]>): Promise<void> => {
    if (![...letters].some(isSelected)) return;
    bench.say(`measuring ${letters}`);
    rows.push(...(await measure()));
  };
  await add('d', () => coldRareSearches(bench));
  await add('e', () => coldBroadSearches(bench));
  await add('o', () => heldTransaction(bench));
  await add('pqr', () => writeCosts(bench));
  await add('s', () => trimmingWithSnapshot(bench));
  await add('t', () => firstImport(bench));
  await add('u', () => newInstance(bench));
  await add('vw', () => firstRows(bench));
  await add('xy', () => typing(bench));
  const service = await startService(bench.database.url, withoutWarmUp);
  try {
    await add('abc', () => warmPages(bench, service));
    await add('f', () => searchesDuringWrites(bench, service));
    await add('g', () => throughput(bench, service));
    await add('l', () => distinctPages(bench, service));
    await add('i', () => lookupsDuringScans(bench, service));
    await add('k', () => memoryAfterSearches(bench, service));
    await add('n', () => pagesDuringInserts(bench, service));
    await add('m', () => sessions(bench, service));
  } finally {
    await service.stop();
  }
  await addWithoutAudit(bench, rows);
  return rows;
}

/** Warm-up would scan the table during the measurements. Each measure warms up what it needs. */
const withoutWarmUp = { CLIENTELE_WARM_UP: 'off' };

/** The rows that the audit costs something, measured again without it. */
async function addWithoutAudit(bench: Bench, rows: Row[]): Promise<void> {
  const measures = { b: warmPages, g: throughput, l: distinctPages };
  const again = Object.entries(measures).filter(([of]) => rows.some(({ letter }) => letter === of));
  if (again.length === 0) return;
  const service = await startService(bench.database.url, {
    ...withoutWarmUp,
    CLIENTELE_AUDIT: 'off',
  });
  try {
    for (const [of, measure] of again) {
      bench.say(`measuring ${of} without the audit`);
      const measured = await measure(bench, service);
      const row = rows.find(({ letter }) => letter === of)!;
      row.withoutAudit = measured.find(({ letter }) => letter === of)!.value;
    }
  } finally {
    await service.stop();
  }
}
