/**
 * Keeps the pauses of a shared machine out of test results. Its host may withhold the processor for seconds: then
 * every timer is late, requests pile up, and health checks fail, whatever the service does. With STRICT_TIMES=1, for
 * a machine that does nothing else, tests judge every request and the promised times.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** Whether nothing is blamed on the machine. */
export const strict = Boolean(process.env['STRICT_TIMES']);

/** The time limit to expect, in milliseconds. Without STRICT_TIMES, it only ends what hangs. */
export const promised = (limit: number): number => (strict ? limit : 300_000);

/** When a thread that only watches the clock was not run, as times of `performance.now()`. */
interface Pause {
  from: number;
  to: number;
}

/** Shorter pauses delay requests, but fail none. */
const shortestMs = 250;
/** How long the effects of a pause last: requests have piled up, and health checks have failed. */
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
