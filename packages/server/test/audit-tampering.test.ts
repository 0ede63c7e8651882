/**
 * `clientele audit verify --log` finds what the owner of the database does to entries that a checkpoint in the log
 * vouches for. TAMPERINGS=1000 tries that many random ways instead of a few; TAMPERING_SEED repeats a run.
 */
import { startTestService, temporaryFolder } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { createSecretFile, readSecretFile } from '../src/secret.ts';
import { verifyAudit } from '../src/audit/verify.ts';
import { checkpointsIn } from '../src/audit/verify-checkpoints.ts';
import { Random } from './setup/random.ts';

const tamperings = Number(process.env['TAMPERINGS'] ?? 30);
const seed = Number(process.env['TAMPERING_SEED'] ?? Math.floor(Math.random() * 1e6));
const batches = 12;

/** Statements of the owner, with random numbers. Each leaves the audit other than it was. */
function tampering(random: Random): string[] {
  const one = 1 + random.below(batches);
  const other = 1 + ((one + random.below(batches - 1)) % batches);
  const month = `date_trunc('month', now()) - make_interval(months => ${random.below(25)})`;
  const closeAll = `insert into clientele.audit_closings (month, chain, number, hash)
    select ${month}, chain, number, hash from clientele.audit_batches on conflict do nothing`;
  const deletions = [
    `delete from clientele.audit_batches where number = ${one}`,
    `delete from clientele.audit_batches where number >= ${one}`,
    `delete from clientele.audit_batches where number <= ${one}`,
    'delete from clientele.audit_batches',
  ];
  const covers = [
    [],
    [closeAll],
    ['delete from clientele.audit_chains'],
    ['delete from clientele.audit_checkpoints'],
    [closeAll, 'delete from clientele.audit_chains', 'delete from clientele.audit_checkpoints'],
  ];
  const flip = (column: string): string =>
    `update clientele.audit_batches set ${column} = set_byte(${column}, 0, (get_byte(${column}, 0) + ${1 + random.below(255)}) % 256)
     where number = ${one}`;
  const changes = [
    `update clientele.audit_batches set entries = entries || ' ' where number = ${one}`,
    flip('hash'),
    flip('entries'),
    `update clientele.audit_batches set customers = customers || uuid_send(gen_random_uuid()) where number = ${one}`,
    `update clientele.audit_batches set number = case number when ${one} then ${other} else ${one} end
     where number in (${one}, ${other})`,
    `insert into clientele.audit_batches
     select chain, number, stored_at + interval '1 ms', entries, customers, hash
     from clientele.audit_batches where number = ${one}`,
  ];
  return random.pick([
    [...random.pick(covers), random.pick(deletions)],
    [random.pick(changes)],
    [rewriteWithout(one)],
  ]);
}

/** A chain without one of its batches, with right hashes throughout, and no checkpoint in the database. */
const rewriteWithout = (number: number): string => `
  do $$
  declare
    previous bytea := decode(repeat('00', 32), 'hex');
    b record;
  begin
    delete from clientele.audit_batches where number = ${number};
    update clientele.audit_batches set number = number - 1 where number > ${number};
    for b in select * from clientele.audit_batches order by number loop
      previous := sha256(previous || uuid_send(b.chain) || int8send(b.number)
        || int4send(octet_length(b.entries)) || b.entries || b.customers);
      update clientele.audit_batches set hash = previous where number = b.number;
    end loop;
    update clientele.audit_chains set number = number - 1, hash = previous;
    delete from clientele.audit_checkpoints;
  end $$`;

const tables = ['audit_batches', 'audit_chains', 'audit_checkpoints', 'audit_closings'];

test(
  `${tamperings} random ways of deleting, changing, reordering and forging are found (seed ${seed})`,
  { timeout: 600_000 + 1_000 * tamperings },
  async () => {
    await using folder = await temporaryFolder();
    await createSecretFile(folder.path('secret.json'));
    await using service = await startTestService({
      CLIENTELE_AUDIT: 'on',
      CLIENTELE_AUDIT_SPOOL: folder.path('spool'),
      CLIENTELE_SECRET_FILE: folder.path('secret.json'),
    });
    for (let i = 0; i < batches; i += 1) await service.get(`/v3/customers?page=${i + 1}`);
    await service.app.close();
    const { database } = service;
    const { publicKey } = await readSecretFile(folder.path('secret.json'));
    const checkpoints = checkpointsIn(service.logged().split('\n'));
    const client = await database.connect();
    const verify = async (): Promise<string[]> =>
      (await verifyAudit(client, { publicKey, checkpoints })).problems;
    for (const table of tables) {
      await database.query(`create table public.${table}_kept as table clientele.${table}`);
    }
    expect(await verify(), 'before anything is done').toEqual([]);

    const random = new Random(seed);
    for (let i = 0; i < tamperings; i += 1) {
      const statements = tampering(random);
      for (const statement of statements) await database.query(statement);
      expect(await verify(), statements.join(';\n')).not.toEqual([]);
      for (const table of tables) {
        await database.query(`truncate clientele.${table}`);
        await database.query(`insert into clientele.${table} table public.${table}_kept`);
      }
    }
    expect(await verify(), 'after all is restored').toEqual([]);
  },
);
