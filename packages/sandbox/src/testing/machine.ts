/**
 * What a shared machine does to a measurement. Its host may give it no processor for seconds: then every timer
 * is late, clients pile up, and health checks fail, whatever the service does. With STRICT_TIMES=1, on a machine
 * of one's own, tests judge the times that are promised and every request.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

const strict = Boolean(process.env['STRICT_TIMES']);

/** The limit of a time that is promised on an idle machine; elsewhere it only ends what hangs. */
export const promised = (limit: number): number => (strict ? limit : 10 * limit);

/** When a thread that only has to look at the clock was not run, in the time of `performance.now()`. */
interface Pause {
  from: number;
  to: number;
}

/** Shorter pauses delay requests, but fail none. */
const shortestMs = 250;
/** For how long a pause has an effect: what has piled up is served, and health checks succeed again. */
const effectMs = 5_000;

const pauses: Pause[] = [];
const { port1: reports, port2: port } = new MessageChannel();
if (!strict) startWatching();

function startWatching(): void {
  const watch = `
    const { port, shortestMs } = require('node:worker_threads').workerData;
    const now = () => performance.timeOrigin + performance.now();
    let from = now();
    setInterval(() => {
      const to = now();
      if (to - from > shortestMs) port.postMessage({ from, to });
      from = to;
    }, 20);`;
  const worker = new Worker(watch, {
    eval: true,
    workerData: { port, shortestMs },
    transferList: [port],
  });
  worker.unref();
  reports.unref();
}

/** Whether the machine stood still during a request, or shortly before it. */
export function stoodStill({ sentAt, ms }: { sentAt: number; ms: number }): boolean {
  for (let report = receiveMessageOnPort(reports); report; report = receiveMessageOnPort(reports)) {
    const { from, to } = report.message as Pause;
    pauses.push({ from: from - performance.timeOrigin, to: to - performance.timeOrigin });
  }
  return pauses.some(({ from, to }) => from < sentAt + ms && sentAt < to + effectMs);
}

export const stoodStillSince = (moment: number): boolean =>
  stoodStill({ sentAt: moment, ms: performance.now() - moment });
