/**
 * TanStack's structural sharing, with dates: what is equal in `next` is taken from `previous`, so
 * rows that did not change keep their identity. Its own takes every mapped `Date` for a change, and
 * a page kept while loading would render without end.
 */
export function shareEqual(previous: unknown, next: unknown): unknown {
  if (Object.is(previous, next)) return previous;
  const kind = prototypeOf(next);
  if (kind !== prototypeOf(previous)) return next;
  if (kind === Date.prototype) return Number(previous) === Number(next) ? previous : next;
  if (kind !== Object.prototype && kind !== Array.prototype) return next;
  return shareMembers(previous as Members, next as Members);
}

type Members = Record<string, unknown>;

function shareMembers(previous: Members, next: Members): Members {
  const keys = Object.keys(next);
  const shared = (Array.isArray(next) ? [] : {}) as Members;
  let same = keys.length === Object.keys(previous).length;
  for (const key of keys) {
    shared[key] = shareEqual(previous[key], next[key]);
    same &&= key in previous && shared[key] === previous[key];
  }
  return same ? previous : shared;
}

const prototypeOf = (value: unknown): unknown => value && Object.getPrototypeOf(value);
