/**
 * `clientele audit verify --log` finds what the owner of the database does to entries that a checkpoint in the log
 * vouches for. The logins of servers and of imports cannot do it, even if they know the SQL and the chains.
 * TAMPERINGS=1000 tries that many random ways instead of a few; TAMPERING_SEED repeats a run.
 */
import {
  createLoginRole,
  createTestDatabase,
  Random,
  startTestService,
  temporaryFolder,
} from '@clientele/sandbox/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { expect, test } from 'vitest';
import { checkpointsIn, createSecretFile, readSecretFile, verifyAudit } from '@clientele/directory';

const tamperings = Number(process.env['TAMPERINGS'] ?? 30);
const seed = Number(process.env['TAMPERING_SEED'] ?? Math.floor(Math.random() * 1e6));
/** As many instances. */
const chainCount = 3;
const batches = 8;

/** Statements of the owner, with random numbers. Each leaves the audit other than it was. */
function tampering(chains: string[], random: Random): string[] {
  const chain = random.pick(chains);
  const another = random.pick(chains.filter((each) => each !== chain));
  const own = `chain = '${chain}'`;
  const one = 1 + random.below(batches);
  const other = 1 + ((one + random.below(batches - 1)) % batches);
  const month = `date_trunc('month', now()) - make_interval(months => ${random.below(25)})`;
  const closeAll = `insert into clientele.audit_closings (month, chain, number, hash)
    select ${month}, chain, number, hash from clientele.audit_batches on conflict do nothing`;
  const deletions = [
    `delete from clientele.audit_batches where ${own} and number = ${one}`,
    `delete from clientele.audit_batches where ${own} and number >= ${one}`,
    `delete from clientele.audit_batches where ${own} and number <= ${one}`,
    `delete from clientele.audit_batches where ${own}`,
    'delete from clientele.audit_batches',
  ];
  const covers = [
    [],
    [closeAll],
    ['delete from clientele.audit_chains'],
    ['delete from clientele.audit_checkpoints'],
    ['chains', 'checkpoints'].map((each) => `delete from clientele.audit_${each} where ${own}`),
    [closeAll, 'delete from clientele.audit_chains', 'delete from clientele.audit_checkpoints'],
  ];
  const flip = (column: string): string =>
    `update clientele.audit_batches set ${column} = set_byte(${column}, 0, (get_byte(${column}, 0) + ${1 + random.below(255)}) % 256)
     where ${own} and number = ${one}`;
  const changes = [
    `update clientele.audit_batches set entries = entries || ' ' where ${own} and number = ${one}`,
    flip('hash'),
    flip('entries'),
    `update clientele.audit_batches set customers = customers || uuid_send(gen_random_uuid())
     where ${own} and number = ${one}`,
    `update clientele.audit_batches set number = case number when ${one} then ${other} else ${one} end
     where ${own} and number in (${one}, ${other})`,
    `update clientele.audit_batches set chain = case chain when '${chain}' then '${another}' else '${chain}' end::uuid
     where chain in ('${chain}', '${another}') and number = ${one}`,
    `update clientele.audit_batches set chain = '${another}' where ${own} and number = ${one}`,
    `insert into clientele.audit_batches
     select chain, number, stored_at + interval '1 ms', entries, customers, hash
     from clientele.audit_batches where ${own} and number = ${one}`,
  ];
  return random.pick([
    [...random.pick(covers), random.pick(deletions)],
    [random.pick(changes)],
    [rewriteWithout(chain, one)],
  ]);
}

/** A chain without one of its batches, with right hashes throughout, and no checkpoint in the database. */
const rewriteWithout = (chain: string, number: number): string => `
  do $$
  declare
    previous bytea := decode(repeat('00', 32), 'hex');
    b record;
  begin
    delete from clientele.audit_batches where chain = '${chain}' and number = ${number};
    update clientele.audit_batches set number = number - 1 where chain = '${chain}' and number > ${number};
    for b in select * from clientele.audit_batches where chain = '${chain}' order by number loop
      previous := sha256(previous || uuid_send(b.chain) || int8send(b.number)
        || int4send(octet_length(b.entries)) || b.entries || b.customers);
      update clientele.audit_batches set hash = previous where chain = b.chain and number = b.number;
    end loop;
    update clientele.audit_chains set number = number - 1, hash = previous where chain = '${chain}';
    delete from clientele.audit_checkpoints where chain = '${chain}';
  end $$`;

/** What other logins may call, with what is not so. */
function forgery(chains: string[], random: Random): string[] {
  const known = random.chance(0.8);
  const chain = known ? random.pick(chains) : randomUUID();
  // A server may begin a chain.
  const number = (known ? 1 : 2) + random.below(batches + 3);
  const bytes = `'\\x${randomBytes(32).toString('hex')}'::bytea`;
  const entry = JSON.stringify([
    {
      ...{ at: new Date().toISOString(), kind: 'key', caller: 'forged', name: '', address: '' },
      ...{ action: 'lookup', request: '', page: 1, per_page: 1, total: 1, shown: 0 },
    },
  ]);
  const right = `sha256(p || uuid_send('${chain}') || int8send(${number}) || int4send(length(e)) || e)`;
  return [
    random.pick([
      `select clientele.append_audit('${chain}', ${number}, p, e, '', ${random.pick([right, bytes])})
       from (select ${bytes} as p, convert_to('${entry}', 'UTF8') as e) as forged`,
      `select clientele.append_audit_checkpoint('${chain}', ${number}, ${bytes}, now(), null, null)`,
      'select clientele.keep_audit()',
    ]),
  ];
}

const tables = ['audit_batches', 'audit_chains', 'audit_checkpoints', 'audit_closings'];

test(
  `${tamperings} random ways of deleting, changing, reordering and forging are found (seed ${seed})`,
  { timeout: 600_000 + 1_000 * tamperings },
  async () => {
    await using folder = await temporaryFolder();
    await createSecretFile(folder.path('secret.json'));
    await using database = await createTestDatabase();
    const logs: string[] = [];
    for (let n = 0; n < chainCount; n += 1) {
      await using service = await startTestService({
        DATABASE_URL: database.url,
        CLIENTELE_AUTH: 'none',
        CLIENTELE_AUDIT: 'on',
        CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
        CLIENTELE_SECRET_FILE: folder.path('secret.json'),
      });
      for (let i = 0; i < batches; i += 1) await service.get(`/v3/customers?page=${i + 1}`);
      await service.app.close();
      logs.push(...service.logged().split('\n'));
    }
    const { publicKey } = await readSecretFile(folder.path('secret.json'));
    const checkpoints = checkpointsIn(logs);
    const chains = (
      await database.query<{ chain: string }>('select chain from clientele.audit_chains')
    ).map(({ chain }) => chain);
    expect(chains).toHaveLength(chainCount);
    const client = await database.connect();
    const verify = async (): Promise<string[]> =>
      (await verifyAudit(client, { publicKey, checkpoints })).problems;
    for (const table of tables) {
      await database.query(`create table public.${table}_kept as table clientele.${table}`);
    }
    expect(await verify(), 'before anything is done').toEqual([]);

    const restore = async (): Promise<void> => {
      for (const table of tables) {
        await database.query(`truncate clientele.${table}`);
        await database.query(`insert into clientele.${table} table public.${table}_kept`);
      }
    };

    const random = new Random(seed);
    for (let i = 0; i < tamperings; i += 1) {
      const statements = tampering(chains, random);
      for (const statement of statements) await database.query(statement);
      expect(await verify(), statements.join(';\n')).not.toEqual([]);
      await restore();
    }
    expect(await verify(), 'after all is restored').toEqual([]);

    const state = (): Promise<object[]> =>
      database.query(
        tables
          .map(
            (t) => `select md5(string_agg(t::text, ' ' order by t::text)) from clientele.${t} as t`,
          )
          .join(' union all '),
      );
    const before = await state();
    for (const role of ['clientele_reader', 'clientele_writer']) {
      await using login = await createLoginRole(database, `in role ${role}`);
      const other = new pg.Client({ connectionString: login.url });
      await other.connect();
      for (let i = 0; i < tamperings / 2; i += 1) {
        const owners = random.chance(0.5);
        for (const statement of (owners ? tampering : forgery)(chains, random)) {
          const refusal = await other.query(statement).catch((error: pg.DatabaseError) => error);
          if (owners) expect(refusal, statement).toMatchObject({ code: '42501' });
          // Nothing has changed, or it is found.
          if (isDeepStrictEqual(await state(), before)) continue;
          expect(await verify(), `${role}: ${statement}`).not.toEqual([]);
          await restore();
        }
      }
      await other.end();
    }
  },
);
