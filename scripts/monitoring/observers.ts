/** A real Prometheus and a real Alertmanager on loopback, and a webhook that alerts arrive at. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { freePort } from '@clientele/sandbox';

export interface Alert {
  status: 'firing' | 'resolved';
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface Observers extends AsyncDisposable {
  /** Every alert that has arrived at the webhook. */
  arrived: Alert[];
  /** The values that a query returns now. */
  query(expression: string): Promise<number[]>;
}

/** A program whose output goes to a file. It ends with `stop`. */
export function start(command: string[], log: string, env: NodeJS.ProcessEnv = process.env) {
  const [program, ...options] = command;
  const child: ChildProcess = spawn(program!, options, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(log);
  child.stdout!.pipe(file, { end: false });
  child.stderr!.pipe(file, { end: false });
  const exited = once(child, 'exit');
  return {
    async stop(): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
      file.end();
    },
  };
}

/** JSON is YAML. */
const toYaml = (config: object): string => JSON.stringify(config);

const prometheusConfig = (target: string, alertmanager: string, rules: string): string =>
  toYaml({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'clientele', static_configs: [{ targets: [target] }] }],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
  });

const alertmanagerConfig = (url: string): string =>
  toYaml({
    route: { receiver: 'webhook', group_by: ['alertname'], group_wait: '0s', group_interval: '1s' },
    receivers: [{ name: 'webhook', webhook_configs: [{ url }] }],
  });

async function ask(prometheus: string, query: string): Promise<number[]> {
  const url = `http://${prometheus}/api/v1/query?${new URLSearchParams({ query })}`;
  const answer = (await (await fetch(url)).json()) as {
    error?: string;
    data?: { result: { value: [number, string] }[] };
  };
  if (!answer.data) throw new Error(`${query}: ${answer.error}`);
  return answer.data.result.map(({ value }) => Number(value[1]));
}

async function listenForAlerts(arrived: Alert[]): Promise<Server> {
  const receive = async (request: IncomingMessage): Promise<void> => {
    arrived.push(...((await json(request)) as { alerts: Alert[] }).alerts);
  };
  const webhook = createServer((request, response) => {
    void receive(request).finally(() => response.end());
  }).listen(0, '127.0.0.1');
  await once(webhook, 'listening');
  return webhook;
}

/** Scrapes the target every second. */
export async function observe(home: string, target: string, rules: string): Promise<Observers> {
  const arrived: Alert[] = [];
  const webhook = await listenForAlerts(arrived);
  const { port } = webhook.address() as AddressInfo;
  const alertmanager = `127.0.0.1:${await freePort()}`;
  const prometheus = `127.0.0.1:${await freePort()}`;
  const path = (name: string): string => join(home, name);
  await writeFile(path('rules.yaml'), rules);
  await writeFile(
    path('prometheus.yaml'),
    prometheusConfig(target, alertmanager, path('rules.yaml')),
  );
  await writeFile(path('alertmanager.yaml'), alertmanagerConfig(`http://127.0.0.1:${port}/`));
  const running = [
    start(
      [
        'prometheus-alertmanager',
        `--config.file=${path('alertmanager.yaml')}`,
        `--storage.path=${path('alertmanager')}`,
        `--web.listen-address=${alertmanager}`,
        '--cluster.listen-address=',
      ],
      path('alertmanager.log'),
    ),
    start(
      [
        'prometheus',
        `--config.file=${path('prometheus.yaml')}`,
        `--storage.tsdb.path=${path('prometheus')}`,
        `--web.listen-address=${prometheus}`,
      ],
      path('prometheus.log'),
    ),
  ];
  return {
    arrived,
    query: (expression) => ask(prometheus, expression),
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((each) => each.stop()));
      webhook.closeAllConnections();
      webhook.close();
    },
  };
}
