/**
 * The rules of docs/data-model.md for one customer, written without SQL. Records are applied one by one; the
 * real import must give the same result with any batches.
 */

/** A day. Records of a feed without a time get a later one than any day. */
export type Time = number;

export interface Fields {
  name: string;
  phone?: string | null;
  company?: string | null;
  orders?: number;
}

export type ModelRecord =
  | { op: 'upsert'; fields: Fields; time: Time | null }
  | { op: 'delete'; time: Time }
  | { op: 'erase'; time: Time };

export interface State {
  customer: (Required<Fields> & { time: Time | null }) | null;
  /** When it was last deleted; Infinity if it was erased. */
  deletedAt: Time | null;
}

export const unknown: State = { customer: null, deletedAt: null };

/** Records of a feed are in the order of the changes; those of a file are not. */
export function apply(state: State, record: ModelRecord, source: 'file' | 'feed'): State {
  const { customer, deletedAt } = state;
  if (record.op === 'erase') return { customer: null, deletedAt: Infinity };
  if (record.op === 'delete') {
    const older = customer !== null && isOlder(record.time, customer.time);
    return {
      customer: older ? customer : null,
      deletedAt: Math.max(record.time, deletedAt ?? -Infinity),
    };
  }
  const { fields, time } = record;
  if (customer !== null) {
    if (isOlder(time, customer.time)) return state;
    return { customer: { ...customer, ...fields, time }, deletedAt };
  }
  if (deletedAt !== null) {
    if (deletedAt === Infinity || time === null || time < deletedAt) return state;
    if (time === deletedAt && source === 'file') return state;
  }
  return { customer: { phone: null, company: null, orders: 0, ...fields, time }, deletedAt };
}

/** A record without a time is older than any customer with one. */
function isOlder(time: Time | null, than: Time | null): boolean {
  return than !== null && (time === null || time < than);
}

/** `records` are those of this customer in the files. Without `asOf`, everything in the directory is older. */
export function replace(state: State, records: ModelRecord[], asOf: Time | null): State {
  const upTo = asOf ?? Infinity;
  const { customer, deletedAt } = state;
  const counts = (time: Time | null): boolean => time !== null && time > upTo;
  if (records.length === 0) {
    return { customer: customer && counts(customer.time) ? customer : null, deletedAt };
  }
  const erased = deletedAt === Infinity;
  const before: State = {
    customer: customer && { ...customer, time: counts(customer.time) ? customer.time : null },
    deletedAt: erased || counts(deletedAt) ? deletedAt : null,
  };
  const after = records.reduce((now, record) => apply(now, record, 'file'), before);
  // A file does not delete, so the time of the last delete stays known.
  return { customer: after.customer, deletedAt };
}

/** A truncate forgets customers, but not who was deleted. */
export const truncate = ({ deletedAt }: State): State => ({ customer: null, deletedAt });

/** All states that two writers can leave when they run at once: the records of each stay in order. */
export function applyBoth(state: State, file: ModelRecord[], feed: ModelRecord[]): State[] {
  const distinct = (states: State[]): State[] => [
    ...new Map(states.map((each) => [describe(each), each])).values(),
  ];
  let rows: State[][] = [];
  for (let i = 0; i <= file.length; i += 1) {
    const row: State[][] = [];
    for (let j = 0; j <= feed.length; j += 1) {
      const ways = [
        ...(i > 0 ? rows[j]!.map((each) => apply(each, file[i - 1]!, 'file')) : []),
        ...(j > 0 ? row[j - 1]!.map((each) => apply(each, feed[j - 1]!, 'feed')) : []),
      ];
      row.push(i === 0 && j === 0 ? [state] : distinct(ways));
    }
    rows = row;
  }
  return rows.at(-1)!;
}

/** The days that records name end here; what is later is the time of arrival. */
export const lastDay = 9;

/** As text, for comparing: all times of arrival are alike. */
export function describe({ customer, deletedAt }: State): string {
  const time = (at: Time | null): string =>
    at === null ? '–' : at === Infinity ? 'erased' : at > lastDay ? 'arrival' : `day ${at}`;
  const shown = customer
    ? `${customer.name}, ${customer.phone}, ${customer.company}, ${customer.orders}, ${time(customer.time)}`
    : 'no customer';
  return `${shown}; deleted: ${time(deletedAt)}`;
}
