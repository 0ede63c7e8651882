import { measureImportSpeed } from '../import-speed.ts';
import { rowAtLeast, type Bench, type Row } from './measure.ts';

const mostCustomers = 1_000_000;

/** t: the first import into an empty directory, compared with COPY into the table with its indexes. */
export async function firstImport({ customers, say }: Bench): Promise<Row[]> {
  const size = Math.min(customers, mostCustomers);
  const { rounds } = await measureImportSpeed(size, 3, (line) => say(`t: ${line}`));
  const ratios = rounds.map(({ first, bare }) => first / bare);
  const measure = `first import of ${size.toLocaleString('en')} ÷ COPY into the indexed table, rows/s`;
  return [rowAtLeast('t', measure, ratios, 1.3, { rounds, ratios })];
}
