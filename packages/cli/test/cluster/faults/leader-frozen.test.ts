/** The leader is frozen for 40 seconds, as a paused virtual machine is, and then continues. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipped, startFleet, type Fleet } from '../setup/fleet.ts';
import { failuresOf, report, underLoad } from '../setup/under-load.ts';

const freezes = Number(process.env['FAULT_FREEZES'] ?? 1);

describe.skipIf(skipped)(`three synchronous nodes, 50 requests a second${skipped}`, () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet({ synchronous: true });
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  test.each(Array.from({ length: freezes }, (_, i) => i + 1))(
    'a frozen leader fails no read and loses no acknowledged write (%i)',
    async (run) => {
      const { cluster } = fleet;
      const frozen = await cluster.leader();
      const seen = await underLoad(
        fleet,
        async () => {
          await frozen.freeze();
          await sleep(40_000);
          frozen.thaw();
          await cluster.settledAgain();
        },
        { seed: run },
      );
      report(`leader frozen for 40 s, run ${run}`, seen, { lost: seen.lostWrites.length });
      expect(await cluster.leader(), 'a failover').not.toBe(frozen);
      expect(seen.lostWrites).toEqual([]);
      expect(failuresOf(seen)).toEqual([]);
      expect(seen.writeGapMs).toBeLessThan(30_000);
    },
  );
});
