/**
 * TanStack's structural sharing, extended to dates: equal parts of `next` are taken from `previous`,
 * so unchanged rows keep their identity. TanStack's own version treats every mapped `Date` as a
 * change, which would render a placeholder page in an endless loop.
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
    same &&= key in previous && Object.is(shared[key], previous[key]);
  }
  return same ? previous : shared;
}

const prototypeOf = (value: unknown): unknown => value && Object.getPrototypeOf(value);
