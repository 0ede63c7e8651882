/** A connection of an import that is lost without being closed must not hold the locks of the import for hours. */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { createTestDatabase } from '@clientele/sandbox/testing';
import { expect, test } from 'vitest';
import { connectAsWriter } from '../src/connect-as-writer.ts';

test('both sides notice within seconds that the machine of the other one is gone', async () => {
  await using database = await createTestDatabase();
  const client = await connectAsWriter(database.url);
  try {
    const { rows } = await client.query(
      `select inet_server_addr() is not null as is_tcp, current_setting('tcp_keepalives_idle') as idle,
         current_setting('tcp_keepalives_interval') as "interval", current_setting('tcp_keepalives_count') as count`,
    );
    expect(rows).toEqual([{ is_tcp: true, idle: '5', interval: '5', count: '2' }]);
    if (process.platform !== 'linux') return;
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    await expect
      .poll(() => nextKeepAlive(stream.localPort!), { timeout: 10_000 })
      .toBeLessThanOrEqual(6);
  } finally {
    await client.end();
  }
});

/** Seconds until Linux asks whether the other side of an idle connection is there. */
async function nextKeepAlive(localPort: number): Promise<number> {
  const port = `:${localPort.toString(16).toUpperCase().padStart(4, '0')}`;
  const table = await readFile('/proc/net/tcp', 'utf8');
  const columns = table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, local]) => local?.endsWith(port));
  const [kind, ticks] = columns?.[5]?.split(':') ?? [];
  return kind === '02' ? Number.parseInt(ticks!, 16) / 100 : Infinity;
}
