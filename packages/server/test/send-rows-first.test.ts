/** Until the first byte of a response in two pieces is sent, it can still be refused. */
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { nobody, RowsFirst } from '../src/responses/list-body.ts';
import { cutShort, sendRowsFirst } from '../src/customers/send-rows-first.ts';
import { DatabaseUnavailableError } from '@clientele/directory';
import { handleErrors } from '../src/http/error-handler.ts';
import { Refusals } from '../src/http/refusals.ts';

test('a count that fails while the rows are being recorded is answered with a problem document', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  app.decorate('refusals', new Refusals());
  handleErrors(app);
  app.get('/', async (_request, reply) => {
    const count = Promise.withResolvers<Buffer>();
    const content = new RowsFirst(Buffer.from('{"data":[]'), nobody, () => count.promise);
    const record = async () => count.reject(new DatabaseUnavailableError());
    try {
      await sendRowsFirst(reply, content, new AbortController().signal, record);
    } catch (error) {
      if (!cutShort(reply, error)) throw error;
    }
    return reply;
  });
  const response = await app.inject('/');
  expect(response.statusCode).toBe(503);
  expect(response.json()).toMatchObject({ code: 'database-unavailable' });
});
