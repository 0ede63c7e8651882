/** Nobody works for a client that has left, whenever it leaves. */
import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { whileWanted } from '../src/http/hang-up.ts';
import { getRequest, listen } from './setup/raw-http.ts';

test('a client that leaves while its session is looked up is not answered', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const arrived = Promise.withResolvers<void>();
  const wanted = Promise.withResolvers<boolean>();
  app.get('/', async (_request, reply) => {
    arrived.resolve();
    // As long as a query for the session takes.
    await once(reply.raw, 'close');
    await whileWanted(reply, 60_000, async (signal) => wanted.resolve(!signal.aborted));
    return reply.hijack();
  });
  const socket = connect(await listen(app), '127.0.0.1');
  socket.write(getRequest('/'));
  await arrived.promise;
  socket.destroy();
  expect(await wanted.promise).toBe(false);
});
