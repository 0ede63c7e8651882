/** A pooler that cannot work ends `serve` with a sentence that says which one can. */
import { createTestDatabase } from '@clientele/sandbox/testing';
import { findPgBouncer, startPgBouncer } from '@clientele/sandbox/testing/cluster';
import { expect, test } from 'vitest';
import { clientele } from './setup/executable.ts';

const program = await findPgBouncer();
const both = 'extra_float_digits,options';

test.skipIf(!program).each([
  [
    'session',
    '',
    /^clientele: A pooler refuses the settings of the connection .*add options to ignore_startup_parameters/m,
  ],
  [
    'transaction',
    both,
    /^clientele: DATABASE_URL leads to a pooler whose clients share sessions.*Use pool_mode = session/m,
  ],
])(
  'PgBouncer in %s mode that ignores "%s"',
  async (pool_mode, ignore_startup_parameters, sentence) => {
    await using database = await createTestDatabase();
    await using pooler = await startPgBouncer(program!, database.url, {
      pool_mode,
      ignore_startup_parameters,
    });
    const { code, stderr } = await clientele(['serve'], { DATABASE_URL: pooler.url, PORT: '0' });
    expect(stderr).toMatch(sentence);
    expect(code).toBe(1);
  },
);
