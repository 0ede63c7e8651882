/**
 * What the rest of the service knows about tracing. While it is off there is no tracer, `tracer?.` is all that it
 * costs, and the other files of this folder are not loaded.
 */
export type Attributes = Record<string, string | number>;

/** As numbered by OTLP: work of our own, a request that we answer, a call to the database. */
export type SpanKind = 1 | 2 | 3;

export interface Tracer {
  /** Runs work as a span inside the current one. Outside of any, it only runs it. */
  span<T>(name: string, about: Attributes, work: () => Promise<T>, kind?: SpanKind): Promise<T>;
  /** Runs work that no request waits for. It is a trace of its own if it is sampled. */
  root<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Records a wait, unless it is over at once. */
  wait(name: string, about: Attributes, until: Promise<unknown>): void;
  /** Adds to the current span. */
  note(about: Attributes): void;
}

export let tracer: Tracer | undefined;

/** As a span inside the current one. For work that is rare enough to make a closure for it. */
export const inSpan = <T>(name: string, about: Attributes, work: () => Promise<T>): Promise<T> =>
  tracer ? tracer.span(name, about, work) : work();

/** As a trace of its own. */
export const inTrace = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  tracer ? tracer.root(name, work) : work();

export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}
