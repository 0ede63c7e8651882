/** `clientele suppression`, and what an erased person means for import, sync and a running server. */
import { readFile, writeFile } from 'node:fs/promises';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { beforeAll, expect, test, vi } from 'vitest';
import { clientele, startClientele } from './setup/executable.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeAll(async () => {
  await clientele(['secret', 'create', folder.path('secret')], {});
});

const env = () => ({
  DATABASE_URL: database.url,
  CLIENTELE_SECRET_FILE: folder.path('secret'),
  CLIENTELE_LEDGER_FILE: folder.path('ledger'),
});
const run = (...args: string[]) => clientele(args, env());
const header = 'uuid,full_name,email_address,phone_number\n';
const anna = `${id(1)},Anna Sample,anna@mail.example,+44 20 7946 0123\n`;
const bob = `${id(2)},Bob,bob@mail.example,\n`;
async function importText(text: string, ...args: string[]) {
  await writeFile(folder.path('some.csv'), header + text);
  return run('import', folder.path('some.csv'), '--json', '--from-start', ...args);
}
const present = async (): Promise<string[]> =>
  (await database.query<{ uuid: string }>('select uuid from customers order by uuid')).map(
    ({ uuid }) => uuid,
  );

test(
  'an erased person comes back only after the suppression is lifted, which is on record',
  { timeout: 600_000 },
  async () => {
    await importText(anna + bob);
    const erased = await run('erase', id(1), '--reason', 'request 17', '--yes', '--json');
    expect(erased.code, erased.stderr).toBe(0);

    // The same file, and the person under another identifier and in other spellings.
    const again = `${anna}${id(11)},A. Sample,ANNA@mail.example,\n${id(12)},A. S.,as@mail.example,020 7946 0123\n`;
    for (const args of [[], ['--check'], ['--replace', '--yes']]) {
      const { stdout, stderr, code } = await importText(again + bob, ...args);
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ read: 4, unchanged: 1, suppressed: 3 });
    }
    expect((await importText(again + bob)).stderr).toContain('0 superseded, 3 suppressed.');
    expect(await present()).toEqual([id(2)]);

    // Without the secret, nothing is imported.
    const { CLIENTELE_SECRET_FILE: _, ...without } = env();
    const refused = await clientele(['import', folder.path('some.csv')], without);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('CLIENTELE_SECRET_FILE'),
    });

    const checked = await run('suppression', 'check', '--email', 'Anna@Mail.example');
    expect(checked.stdout).toMatch(`The e-mail address of customer ${id(1)}, erased on `);
    expect(checked.stdout).toContain('(request 17): suppressed.');
    expect((await run('suppression', 'check', '--email', 'bob@mail.example')).stdout).toBe(
      'Nothing of it is suppressed.\n',
    );

    // Bob was never erased, and nothing of Anna has this number.
    const others = [id(2), '--email', 'bob@mail.example', '--phone', '+44 20 7946 0999'];
    const all = [
      ...[id(1), '--email', 'anna@mail.example', '--phone', '(020) 7946 0123'],
      ...others,
    ];
    const unexplained = await run('suppression', 'lift', ...all);
    expect(unexplained).toMatchObject({ code: 1, stderr: expect.stringContaining('--reason') });
    const lifted = await run('suppression', 'lift', ...all, '--reason', 'request 18', '--json');
    expect(lifted.code, lifted.stderr).toBe(0);
    expect(lifted.stderr).toContain(
      `Not suppressed, so nothing was lifted for: ${id(2)}, entry 2 of --email, entry 2 of --phone.\n`,
    );
    expect(
      JSON.parse(lifted.stdout)
        .map(({ kind }: { kind: string }) => kind)
        .toSorted(),
    ).toEqual(['email', 'phone', 'uuid']);
    expect(JSON.parse((await importText(again)).stdout)).toMatchObject({
      inserted: 3,
      suppressed: 0,
    });

    const audit = await database.query(
      `select caller_kind from clientele.audit_entries where action = 'lift'`,
    );
    expect(audit).toEqual([{ caller_kind: 'login' }]);
    const ledger = await readFile(folder.path('ledger'), 'utf8');
    expect(ledger.match(/"type":"lift"/g)).toHaveLength(4);
    expect(ledger).toContain('request 18');
    expect(ledger).not.toContain('anna');
  },
);

test(
  'a running server erases within a minute whom plain SQL has brought back',
  { timeout: 600_000 },
  async () => {
    await database.query('truncate customers');
    await importText(`${id(21)},Dora,dora@mail.example,\n`);
    await run('erase', id(21), '--reason', 'request 19', '--yes');
    const { CLIENTELE_LEDGER_FILE: _, ...serving } = env();
    const quiet = { CLIENTELE_AUDIT_SPOOL: 'none', CLIENTELE_WARM_UP: 'off' };
    const settings = { ...serving, ...quiet, PORT: '0' };
    await using server = startClientele(['serve'], settings);
    await server.said(/listening/i);
    await database.query(
      `insert into customers (uuid, full_name, email_address) values ($1, 'Dora', 'Dora@mail.example')`,
      [id(22)],
    );
    await vi.waitFor(async () => expect(await present()).toEqual([]), {
      timeout: 300_000,
      interval: 250,
    });
  },
);
