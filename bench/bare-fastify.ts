/** Fastify serving a body from memory in a separate process, to measure the cost of HTTP alone. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';

const self = fileURLToPath(import.meta.url);

export async function startBareFastify(body: string) {
  const child = fork(self, ['serve'], { stdio: 'inherit' });
  child.send(body);
  const [origin] = (await once(child, 'message')) as [string];
  return {
    origin,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

if (process.argv[2] === 'serve' && process.argv[1] === self) {
  const [body] = (await once(process, 'message')) as [string];
  const app = Fastify();
  const bytes = Buffer.from(body);
  app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes));
  process.send!(await app.listen({ host: '127.0.0.1', port: 0 }));
}
