import { report } from '../report.ts';

/** What the image must keep to. Sizes and memory hold anywhere, times on an idle machine. */
export const limits = { layersMb: 5, readySeconds: 1, idleMb: 100, memory: '320m' };

/** CI machines are shared, so a time fails only beyond this many times its limit. */
const tolerance = 10;

export function expect(condition: boolean, failure: string): asserts condition {
  if (!condition) throw new Error(failure);
}

export function judge(what: string, value: number, limit: number, unit: 'MB' | 's'): void {
  const most = unit === 's' ? limit * tolerance : limit;
  expect(value <= most, `${what}: ${value.toFixed(2)} ${unit}, more than ${most}`);
  const where = unit === 's' ? ' on an idle machine' : '';
  report(`${what}: ${value.toFixed(2)} ${unit} (at most ${limit}${where})`);
}
