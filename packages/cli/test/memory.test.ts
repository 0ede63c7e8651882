/** Memory does not depend on the number of customers. */
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { createTestDatabase, temporaryFolder } from '@clientele/sandbox/testing';
import { customersCsv } from '@clientele/sandbox/generator';
import { startClientele } from './setup/executable.ts';
import { resetDatabase } from './setup/import-runs.ts';

const [few, many] = [15_000, 60_000];

/** The peak resident memory of a command, in megabytes. */
async function peakOf(args: string[], env: Record<string, string>): Promise<number> {
  await using run = startClientele(args, env);
  let peak = 0;
  const look = setInterval(() => {
    readFile(`/proc/${run.pid}/status`, 'utf8').then(
      (status) => (peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? peak * 1_024) / 1_024),
      () => undefined,
    );
  }, 20);
  const { code, stderr } = await run.exited;
  clearInterval(look);
  expect(code, stderr).toBe(0);
  return peak;
}

test.runIf(process.platform === 'linux')(
  `importing and exporting ${many} customers takes no more memory than ${few}`,
  async () => {
    await using folder = await temporaryFolder();
    await using database = await createTestDatabase();
    await database.query('drop index public.customers_search');
    const env = { DATABASE_URL: database.url };
    const peaks: Record<string, number>[] = [];
    for (const customers of [few, many]) {
      await resetDatabase(database);
      const file = folder.path(`${customers}.csv`);
      await pipeline(customersCsv(1, 0, customers), createWriteStream(file));
      peaks.push({
        import: await peakOf(['import', file], env),
        export: await peakOf(['export', '--output', folder.path('exported.csv')], env),
      });
    }
    const [small, large] = peaks as [Record<string, number>, Record<string, number>];
    for (const [command, most] of Object.entries({ import: 160, export: 192 })) {
      const message = `${command}: ${small[command]} MB, then ${large[command]} MB`;
      expect(large[command]! - small[command]!, message).toBeLessThan(40);
      expect(large[command], message).toBeLessThan(most);
    }
  },
);
