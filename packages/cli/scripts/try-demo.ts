import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Starts the demo with a file, searches, and presses Ctrl-C. Returns the seconds to the first answer. On an emulated
 * machine, first queries take longer than requests may: the search is then repeated, as clients do.
 */
export async function tryDemo(
  [program, ...args]: string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  { emulated = false } = {},
): Promise<number> {
  const started = performance.now();
  const demo = spawn(program!, [...args, '--port', '0', '--json'], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // npx may exit before the demo, which holds the other end of the pipe.
  let running = true;
  const closed = once(demo, 'close').finally(() => (running = false));
  try {
    const lines = createInterface(demo.stdout)[Symbol.asyncIterator]();
    const line = await Promise.race([lines.next(), closed.then(() => undefined)]);
    if (!line || line.done) throw new Error('the demo exited before it was ready');
    const seconds = await firstAnswer(JSON.parse(line.value) as Ready, started, emulated);
    // As Ctrl-C does, to every process of the command. npx itself ends by the signal.
    process.kill(-demo.pid!, 'SIGINT');
    const [code, signal] = (await closed) as [number | null, NodeJS.Signals | null];
    if (code !== 0 && signal !== 'SIGINT') throw new Error(`the demo exited with ${code}`);
    return seconds;
  } finally {
    if (running) process.kill(-demo.pid!, 'SIGKILL');
  }
}

interface Ready {
  url: string;
  key: string;
  console: boolean;
}

async function firstAnswer(
  { url, key, console }: Ready,
  started: number,
  emulated: boolean,
): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  const search = () => fetch(`${url}/v3/customers?search=zoe`, { headers });
  const isLate = ({ status }: Response) => emulated && status >= 503;
  let response = await search();
  while (isLate(response)) response = await search();
  const { data } = (await response.json()) as { data: { full_name: string }[] };
  const seconds = (performance.now() - started) / 1000;
  if (data[0]?.full_name !== 'Zoë Example') {
    throw new Error(`the search found ${JSON.stringify(data)}`);
  }
  const page = await (await fetch(`${url}/`)).text();
  if (!console || !page.includes('<title>')) throw new Error('the console is not served');
  return seconds;
}
