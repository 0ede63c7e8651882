/**
 * An upgrade and the way back, under load: two instances behind HAProxy, 50 reads a second, a writer. Totals are
 * checked in two ways. Every response must have a total that the table can have had while it was made; and after
 * each step the writer pauses, and the totals of every instance must be those that `count(*)` returns.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccessKey, startPrivatePostgres, withClient } from '@clientele/sandbox';
import {
  findTools,
  startBalancer,
  startKeeper,
  type Tools,
} from '@clientele/sandbox/testing/cluster';
import {
  choosePath,
  insertFixedCustomers,
  judge,
  type Verdict,
} from '../cluster/setup/fixed-customers.ts';
import { startOpenLoad, type OpenLoad } from '../cluster/setup/open-load.ts';
import {
  oldestAnswer,
  seeded,
  untilServedWell,
  wrongAnswers,
} from '../cluster/setup/under-load.ts';
import type { HttpResponse } from '../setup/load.ts';
import type { Bars } from './bars.ts';
import { compareTotals, countCustomers, insertBulk } from './totals.ts';
import { CountedWriter } from './counted-writer.ts';
import { Instance } from './instance.ts';
import { scan, slowDump, untilReading } from './long-reads.ts';
import { makeVersions, type Version, type Versions } from './versions.ts';

const longestMs = 2_500;
/** Without a search, with one that the writer changes, and with some that stay as they are. */
const searches = ['', 'written', 'bulk', 'alder', 'rowan'];

interface Drill {
  bars: Bars;
  tools: Tools;
  /** The owner's URL. */
  url: string;
  key: string;
  versions: Versions;
  instances: Instance[];
  writer: CountedWriter;
  /** Differences between totals and counts, and how many were compared. */
  differences: string[];
  compared: number;
}

export async function drillUpgrade(bars: Bars, customers: number): Promise<void> {
  const tools = await findTools();
  if (typeof tools === 'string') throw new Error(tools);
  const folder = await mkdtemp(join(tmpdir(), 'clientele-drill-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const cluster = await startPrivatePostgres({ postgres: tools.postgres });
  try {
    const versions = await makeVersions(folder);
    const { older, newer } = versions;
    bars.say(`built ${older.name}; ${newer.name} is the same with ${newer.migration}`);
    await migrate(older, cluster.url);
    const rest = await withClient(cluster.url, async (client) => {
      await insertBulk(client, customers);
      await insertFixedCustomers(client);
      return countCustomers(client);
    });
    const key = await createAccessKey(cluster.url, 'drill');
    const spool = join(folder, 'spool');
    await using first = await Instance.at(cluster.url, spool);
    await using second = await Instance.at(cluster.url, spool);
    const instances = [first, second];
    for (const instance of instances) await instance.start(older);
    await using keeper = await startKeeper();
    const ports = instances.map(({ port }) => port);
    const balancer = await startBalancer(tools, keeper, ports);
    await using writer = await CountedWriter.start(cluster.url);
    const random = seeded(1);
    await using load = startOpenLoad({
      url: balancer,
      keys: [key],
      perSecond: 50,
      choosePath: () => choosePath(random),
      judge: (response) => judgeResponse(response, writer, rest),
    });
    const url = cluster.url;
    const drill = {
      bars,
      tools,
      url,
      key,
      versions,
      instances,
      writer,
      differences: [],
      compared: 0,
    };
    await upgradeAndReturn(drill, load);
    await load.stop();
    judgeLoad(drill, load);
    await refusedVersions(drill);
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function upgradeAndReturn(drill: Drill, load: OpenLoad): Promise<void> {
  const { bars, versions, instances } = drill;
  const { older, newer } = versions;
  await untilServedWell(load.samples);
  bars.say(`two instances of ${older.name} behind HAProxy serve 50 reads a second`);
  await checkpoint(drill);

  await migrateBehindReaders(drill);
  await checkpoint(drill);

  const warning = `it has ${newer.migration}. This program can still be used.`;
  let warned = 0;
  for (const instance of instances) {
    await instance.stop('SIGKILL');
    const log = await instance.start(older);
    warned += log.includes(warning) ? 1 : 0;
    await instance.takesPart();
    bars.say(
      `instance ${instances.indexOf(instance) + 1} was killed, and runs ${older.name} again`,
    );
    await checkpoint(drill);
  }
  bars.equal('killed instances that start again, with a warning', warned, instances.length);

  for (const version of [newer, older]) {
    for (const instance of instances) {
      const { code } = await instance.stop('SIGTERM');
      if (code !== 0) throw new Error(`an instance stopped with exit code ${code}`);
      await instance.start(version);
      await instance.takesPart();
      bars.say(`instance ${instances.indexOf(instance) + 1} runs ${version.name}`);
      await checkpoint(drill);
    }
    // A rollback runs the older version's migrate again.
    await migrate(version, drill.url);
  }
}

async function migrateBehindReaders({ bars, tools, url, versions }: Drill): Promise<void> {
  const scanned = scan(url);
  const dumped = slowDump(tools.postgres, url, 12_000);
  const reading = Promise.all([scanned, dumped]);
  // Whichever comes first: both read, or one of them has failed.
  await Promise.race([untilReading(url), reading]);
  bars.say(`${versions.newer.name} migrates while a scan and a dump run`);
  const output = await migrate(versions.newer, url);
  for (const line of output.trim().split('\n')) bars.say(`  ${line}`);
  const waits = output.match(/waits for a lock/g)?.length ?? 0;
  bars.atLeast('times the migration found the lock taken', waits, 1);
  const [customers, bytes] = await reading;
  bars.say(`the scan read ${customers} customers, the dump is complete, ${bytes} bytes`);
}

/** Returns what it wrote. */
async function migrate(version: Version, url: string): Promise<string> {
  const { code, stdout, stderr } = await version.start(['migrate'], { DATABASE_URL: url }).exited;
  if (code !== 0) throw new Error(`migrate of ${version.name}: exit code ${code}\n${stderr}`);
  return stdout + stderr;
}

async function checkpoint(drill: Drill): Promise<void> {
  const { bars, instances, key, url, writer } = drill;
  await writer.paused(async () => {
    for (const instance of instances) {
      const { compared, differences } = await compareTotals(url, instance.url, key, searches);
      drill.compared += compared;
      drill.differences.push(...differences);
    }
  });
  bars.say(`checkpoint: ${writer.writes} writes so far, ${drill.differences.length} wrong totals`);
}

function judgeResponse(response: HttpResponse, writer: CountedWriter, rest: number): Verdict {
  const { path, body, sentAt, ms } = response;
  const verdict = judge(response, writer);
  if (verdict.wrong !== undefined || !body.pagination) return verdict;
  const search = new URL(path, 'http://localhost').searchParams.get('search');
  if (search !== null && search !== 'written') return verdict;
  const { least, most } = writer.bounds(sentAt, sentAt + ms);
  const total = body.pagination.total - (search === null ? rest : 0);
  return total >= least && total <= most
    ? verdict
    : { wrong: `${total} written customers, but there were ${least} to ${most}` };
}

function judgeLoad({ bars, writer, differences, compared }: Drill, { samples }: OpenLoad): void {
  const failed = samples.filter(({ outcome }) => outcome !== '200');
  bars.none(
    'failed requests',
    failed.map(({ path, outcome }) => `${path}: ${outcome}`),
    samples.length,
  );
  bars.none('responses with a wrong total or customer', wrongAnswers(samples), samples.length);
  bars.none('totals that differ from count(*) at checkpoints', differences, compared);
  bars.atMost('oldest value in a response', oldestAnswer(samples) / 1_000, 0, ' s');
  bars.atMost(
    'slowest request',
    Math.max(...samples.map(({ ms }) => ms)) / 1_000,
    longestMs / 1_000,
    ' s',
  );
  bars.none('failed writes', writer.faults, writer.writes);
  bars.atMost('slowest write', writer.slowestMs / 1_000, longestMs / 1_000, ' s');
}

/** The other direction: a migration that the older programs do not know how to live with. */
async function refusedVersions({ bars, versions, url }: Drill): Promise<void> {
  const { older, newer, incompatible } = versions;
  await migrate(incompatible, url);
  const message = `clientele: The database is newer than this program: it has ${incompatible.migration}. Use the newer program.\n`;
  for (const version of [older, newer]) {
    const refused = await version.start(['serve'], { DATABASE_URL: url, PORT: '0' }).exited;
    bars.say(refused.stderr.trim());
    bars.equal(
      `${version.name} refuses to start after ${incompatible.migration}`,
      refused.code === 1 && refused.stderr === message,
      true,
    );
  }
}
