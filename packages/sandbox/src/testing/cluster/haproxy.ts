/** HAProxy before instances of Clientele. It asks each for its readiness, and repeats a read that got no answer. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { until } from './cluster.ts';
import type { Keeper } from './keeper.ts';
import type { Tools } from './tools.ts';

/** Returns the URL of the balancer. */
export async function startBalancer(
  tools: Tools,
  keeper: Keeper,
  instancePorts: readonly number[],
): Promise<string> {
  const port = await freePort();
  const file = join(keeper.folder, 'haproxy.cfg');
  const servers = instancePorts.map((each, i) => `  server instance-${i} 127.0.0.1:${each}`);
  await writeFile(file, `${config(port)}${servers.join('\n')}\n`);
  await keeper.start('haproxy', tools.haproxy, ['-db', '-f', file]);
  const url = `http://127.0.0.1:${port}`;
  await until('HAProxy forwards', 10_000, async () => (await fetch(`${url}/livez`)).ok);
  return url;
}

/** An instance answers within 8 seconds; after 9 the read is sent to another one. Only GET is safe to repeat. */
const config = (port: number): string => `
global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 70s
  timeout server 9s
  timeout check 500ms
  timeout http-keep-alive 60s
  retries 2
  option redispatch 1
  retry-on conn-failure empty-response response-timeout
frontend reads
  bind 127.0.0.1:${port}
  http-request disable-l7-retry if !METH_GET
  default_backend instances
backend instances
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 500ms fall 2 rise 1
`;
