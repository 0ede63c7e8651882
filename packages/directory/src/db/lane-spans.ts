/** What traces say about a lane. Statements have names; their text and values are not recorded. */
import { tracer, type Attributes } from '../tracing/trace.ts';
import type { LaneOptions } from './lane-options.ts';
import { nodeName } from '../settings/node-urls.ts';
import type { RunStatement, Statement } from './statement.ts';

export const laneAttributes = ({ name, url }: LaneOptions): Attributes => ({
  'db.system.name': 'postgresql',
  'clientele.lane': name,
  'clientele.node': nodeName(url),
});

/** Makes every statement a span while tracing is on. */
export function withSpans(run: RunStatement, about: Attributes): RunStatement {
  const on = tracer;
  if (!on) return run;
  return <Row extends object>(statement: Statement, values: unknown[]) =>
    on.span(statement.name, about, () => run<Row>(statement, values), 3);
}
