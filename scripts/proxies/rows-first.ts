/** Lists in two pieces behind a proxy: the rows come before the total, and a list that is cut short is never whole. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import type { Nodes } from '@clientele/directory';
import { require, type Setup } from './checks.ts';

/** How long the rows may take to come, in milliseconds. They take some tens. */
const patience = 5_000;

interface List {
  response: IncomingMessage;
  /** Decoded. */
  body: Readable;
  rows: string;
}

let lists = 0;

/** Resolves when the rows have come. */
async function openRows(setup: Setup, path: string, encoding: string): Promise<List> {
  // Each is another search, so none of them was counted.
  const until = new Date(Date.UTC(2100) + lists++).toISOString();
  const sent = request({
    host: '127.0.0.1',
    port: setup.port,
    path: `${path}/v3/customers?search=m&perPage=1&joinedTo=${until}`,
    headers: {
      host: 'customers.example',
      authorization: `Bearer ${setup.key}`,
      prefer: 'rows-first',
      'accept-encoding': encoding,
    },
    agent: false,
  });
  sent.on('error', () => undefined);
  const timer = AbortSignal.timeout(patience);
  const late = (error: Error) => {
    sent.destroy();
    throw new Error('the rows did not come before the total', { cause: error });
  };
  const [response] = (await once(sent.end(), 'response', { signal: timer }).catch(late)) as [
    IncomingMessage,
  ];
  const { headers } = response;
  require(headers['preference-applied'] === 'rows-first', `no rows first: ${response.statusCode}`);
  response.on('error', () => undefined);
  const body = headers['content-encoding'] === 'gzip' ? unpacked(response) : response;
  const [piece] = (await once(body, 'data', { signal: timer }).catch(late)) as [Buffer];
  const rows = piece.toString();
  require(/^\{"data":\[\{.*\}\]$/.test(
    rows,
  ), `the first piece is not the rows: ${rows.slice(-60)}`);
  return { response, body, rows };
}

/** As far as it has come, where it is cut short. */
function unpacked(response: IncomingMessage): Readable {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  response.once('close', () => gunzip.end());
  return response.pipe(gunzip, { end: false });
}

/** The whole body, and whether it ended as it should. */
function restOf({ response, body, rows }: List): Promise<{ text: string; ended: boolean }> {
  let text = rows;
  body.on('data', (piece: Buffer) => (text += piece.toString()));
  return new Promise((resolve) => {
    body.once('close', () => resolve({ text, ended: response.complete }));
  });
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Each way to the service, plain and packed. */
const ways = ({ http10 }: Setup): [path: string, encoding: string][] =>
  ['', ...(http10 === undefined ? [] : [http10])].flatMap((path) => [
    [path, 'identity'],
    [path, 'gzip'],
  ]);

export async function rowsComeFirst(setup: Setup): Promise<string> {
  const packed = new Set<string>();
  for (const [path, encoding] of ways(setup)) {
    const counts = await holdCounts(setup.nodes);
    try {
      const list = await openRows(setup, path, encoding);
      packed.add(list.response.headers['content-encoding'] ?? 'identity');
      counts.release();
      const { text, ended } = await restOf(list);
      require(ended && text.includes('"total":') && isJson(text), `not whole: ${text.slice(-60)}`);
    } finally {
      counts.release();
    }
  }
  require(!setup.packs || packed.has('gzip'), 'nothing was packed');
  return `rows before their total: ${[...packed].join(', ')}`;
}

export async function noCutListIsWhole(setup: Setup): Promise<string> {
  let broken = 0;
  for (const [path, encoding] of ways(setup)) {
    const counts = await holdCounts(setup.nodes);
    try {
      const list = await openRows(setup, path, encoding);
      counts.fail();
      const { text, ended } = await restOf(list);
      require(!isJson(text), `a list that was cut short is accepted: ${text.slice(-60)}`);
      if (!ended) broken += 1;
      // HTTP/1.0 has no end of a body but that of the connection.
      require(!ended || path !== '', 'the response ended as if it were whole');
    } finally {
      counts.release();
    }
  }
  return `${ways(setup).length} lists that were cut short, ${broken} of them broken responses, none valid JSON`;
}

/** Counts wait until they are released, or fail. Again has no effect. */
async function holdCounts({ all }: Nodes) {
  const { searches, scans } = all[0]!.database;
  const lanes = [searches, scans];
  const held = lanes.flatMap(({ slots }) => Array.from({ length: slots.size }, () => slots));
  await Promise.all(held.map((slots) => slots.take(60_000)));
  const letGo = (): void => {
    for (const slots of held.splice(0)) slots.give();
  };
  return {
    release() {
      letGo();
      for (const lane of lanes) lane.cut(false);
    },
    /** As if the database were gone. */
    fail() {
      for (const lane of lanes) lane.cut(true);
      letGo();
    },
  };
}
