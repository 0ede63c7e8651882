/** What became of the records that were read. */

/** Why records were not applied: docs/data-model.md. */
export interface Superseded {
  /** A newer record of the customer was in the same batch. */
  repeated: number;
  /** The customer in the directory is newer. */
  older: number;
  /** The record has no time, and the customer has one. */
  undated: number;
  /** The customer was deleted, and the record is not newer than that. */
  deleted: number;
}

export interface Counts {
  inserted: number;
  updated: number;
  unchanged: number;
  deleted: number;
  /** The sum of `supersededBy`. */
  superseded: number;
  supersededBy: Superseded;
  /** Of erased people. */
  suppressed: number;
}

export interface Tally extends Counts {
  read: number;
  rejected: number;
}

export const noCounts: Readonly<Counts> = {
  inserted: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  superseded: 0,
  supersededBy: { repeated: 0, older: 0, undated: 0, deleted: 0 },
  suppressed: 0,
};

export const noTally: Readonly<Tally> = { ...noCounts, read: 0, rejected: 0 };

export function addCounts(a: Counts, b: Counts): Counts {
  const [x, y] = [a.supersededBy, b.supersededBy];
  return {
    inserted: a.inserted + b.inserted,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    deleted: a.deleted + b.deleted,
    superseded: a.superseded + b.superseded,
    supersededBy: {
      repeated: x.repeated + y.repeated,
      older: x.older + y.older,
      undated: x.undated + y.undated,
      deleted: x.deleted + y.deleted,
    },
    suppressed: a.suppressed + b.suppressed,
  };
}

export const addTallies = (a: Tally, b: Tally): Tally => ({
  ...addCounts(a, b),
  read: a.read + b.read,
  rejected: a.rejected + b.rejected,
});
