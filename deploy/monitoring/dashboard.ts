/**
 * The Grafana dashboard as code. `node deploy/monitoring/dashboard.ts > dashboard.json`, then import the file in
 * Grafana: docs/how-to/monitor.md.
 */
import { fileURLToPath } from 'node:url';

interface Panel {
  title: string;
  unit: string;
  /** Expressions, each with the legend of its series. */
  queries: Record<string, string>;
}

const reads = 'job="$job",route=~"/v3/.+"';
const requests = 'clientele_http_request_duration_seconds';
const quantile = (q: number): string =>
  `histogram_quantile(${q}, sum by (le) (rate(${requests}_bucket{${reads}}[$__rate_interval])))`;

const rows: Record<string, Panel[]> = {
  'Is it serving?': [
    {
      title: 'Ready',
      unit: 'bool_yes_no',
      queries: { '{{instance}}': 'clientele_ready{job="$job"}' },
    },
    {
      title: 'Reads by status',
      unit: 'reqps',
      queries: {
        '{{status}}': `sum by (status) (rate(${requests}_count{${reads}}[$__rate_interval]))`,
      },
    },
    {
      title: 'Time of a read',
      unit: 's',
      queries: { median: quantile(0.5), '95 %': quantile(0.95), '99 %': quantile(0.99) },
    },
    {
      title: 'Refusals by code',
      unit: 'reqps',
      queries: {
        '{{code}}':
          'sum by (code) (rate(clientele_refusals_total{job="$job"}[$__rate_interval])) > 0',
      },
    },
    {
      title: 'Version',
      unit: 'short',
      queries: { '{{version}}': 'count by (version) (clientele_build_info{job="$job"})' },
    },
  ],
  'What are answers made from?': [
    {
      title: 'Answers by source',
      unit: 'reqps',
      queries: {
        '{{source}}':
          'sum by (source) (rate(clientele_answers_total{job="$job"}[$__rate_interval]))',
      },
    },
    {
      title: 'Counts by kind and cause',
      unit: 'cps',
      queries: {
        '{{kind}}, {{cause}}':
          'sum by (kind, cause) (rate(clientele_count_duration_seconds_count{job="$job"}[$__rate_interval]))',
      },
    },
    {
      title: 'Time of a count, 95 %',
      unit: 's',
      queries: {
        '{{kind}}':
          'histogram_quantile(0.95, sum by (le, kind) (increase(clientele_count_duration_seconds_bucket{job="$job"}[1h])))',
      },
    },
    {
      title: 'Page maps taken over',
      unit: 'short',
      queries: {
        '{{from}}': 'sum by (from) (increase(clientele_page_maps_adopted_total{job="$job"}[1h]))',
      },
    },
  ],
  'Is there room?': [
    {
      title: 'Memory',
      unit: 'bytes',
      queries: {
        '{{instance}}': 'process_resident_memory_bytes{job="$job"}',
        'limit of {{instance}}': 'clientele_memory_limit_bytes{job="$job"}',
        'maps of {{instance}}': 'clientele_page_map_bytes{job="$job"}',
      },
    },
    {
      title: 'Page maps: share of their memory',
      unit: 'percentunit',
      queries: {
        '{{instance}}':
          'clientele_page_map_bytes{job="$job"} / clientele_page_map_limit_bytes{job="$job"}',
      },
    },
    {
      title: 'Page maps evicted',
      unit: 'cps',
      queries: {
        '{{instance}}': 'rate(clientele_page_map_evictions_total{job="$job"}[$__rate_interval])',
      },
    },
    {
      title: 'Requests in progress',
      unit: 'short',
      queries: { '{{kind}}': 'sum by (kind) (clientele_requests_in_flight{job="$job"})' },
    },
    {
      title: 'Connections, and requests that wait for one',
      unit: 'short',
      queries: {
        '{{lane}}, {{state}}': 'sum by (lane, state) (clientele_database_connections{job="$job"})',
      },
    },
    {
      title: 'Delay of the event loop, 99 %',
      unit: 's',
      queries: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{job="$job"}' },
    },
  ],
  'How is the database?': [
    {
      title: 'Change log: entries',
      unit: 'short',
      queries: { entries: 'max(clientele_change_log_entries{job="$job"})' },
    },
    {
      title: 'Change log: size',
      unit: 'bytes',
      queries: { size: 'max(clientele_change_log_bytes{job="$job"})' },
    },
    {
      title: 'Oldest transaction',
      unit: 's',
      queries: { age: 'max(clientele_oldest_transaction_seconds{job="$job"})' },
    },
    {
      title: 'Since the last import',
      unit: 's',
      queries: { age: 'time() - max(clientele_last_import_timestamp_seconds{job="$job"})' },
    },
    {
      title: 'Erased people who came back by SQL',
      unit: 'short',
      queries: {
        'erased again': 'sum(increase(clientele_suppressed_customers_total{job="$job"}[1h]))',
      },
    },
    {
      title: 'Lag',
      unit: 's',
      queries: { '{{node}}': 'max by (node) (clientele_node_lag_seconds{job="$job"})' },
    },
  ],
  'Several nodes': [
    {
      title: 'Nodes that respond',
      unit: 'bool_yes_no',
      queries: { '{{node}}': 'min by (node) (clientele_node_up{job="$job"})' },
    },
    {
      title: 'Primary',
      unit: 'bool_yes_no',
      queries: { '{{node}}': 'max by (node) (clientele_node_primary{job="$job"})' },
    },
    {
      title: 'Requests by node',
      unit: 'reqps',
      queries: {
        '{{node}}':
          'sum by (node) (rate(clientele_node_requests_total{job="$job"}[$__rate_interval]))',
      },
    },
    {
      title: 'Ejections and retries',
      unit: 'short',
      queries: {
        'ejections of {{node}}':
          'sum by (node) (increase(clientele_node_ejections_total{job="$job"}[1h]))',
        retries: 'sum(increase(clientele_node_retries_total{job="$job"}[1h]))',
      },
    },
  ],
};

const columns = 3;
const size = { w: 24 / columns, h: 8 };

function toPanel({ title, unit, queries }: Panel, id: number, x: number, y: number) {
  return {
    id,
    type: 'timeseries',
    title,
    datasource: { type: 'prometheus', uid: '$datasource' },
    gridPos: { ...size, x, y },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(queries).map(([legendFormat, expr], i) => ({
      refId: String.fromCodePoint(65 + i),
      expr,
      legendFormat,
    })),
  };
}

function panels() {
  const all: object[] = [];
  let y = 0;
  for (const [title, row] of Object.entries(rows)) {
    all.push({ id: all.length + 1, type: 'row', title, gridPos: { w: 24, h: 1, x: 0, y } });
    row.forEach((panel, i) => {
      const at = { x: (i % columns) * size.w, y: y + 1 + Math.floor(i / columns) * size.h };
      all.push(toPanel(panel, all.length + 1, at.x, at.y));
    });
    y += 1 + Math.ceil(row.length / columns) * size.h;
  }
  return all;
}

/** Every expression, with Grafana's variables. */
export const expressions: string[] = Object.values(rows).flatMap((row) =>
  row.flatMap(({ queries }) => Object.values(queries)),
);

export const dashboard = {
  uid: 'clientele',
  title: 'Clientele',
  tags: ['clientele'],
  schemaVersion: 39,
  editable: true,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
      {
        name: 'job',
        type: 'query',
        label: 'Job',
        datasource: { type: 'prometheus', uid: '$datasource' },
        query: 'label_values(clientele_build_info, job)',
        refresh: 1,
      },
    ],
  },
  panels: panels(),
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(dashboard, undefined, 2)}\n`);
}
