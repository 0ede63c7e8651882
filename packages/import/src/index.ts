/** Reads customers from files and feeds, validates them and writes them. Uses no environment variables and no terminal. */
export { addTallies, noTally, type Superseded, type Tally } from './counts.ts';
export { parseDate, type DateOrder } from './dates.ts';
export { rules, type Rule } from './faults.ts';
export { openFeed, type FeedOptions } from './feed.ts';
export { fieldNames, type Field } from './fields.ts';
export { ImportError, notMigrated } from './import-error.ts';
export { isIndexMissing, repairFirstImport } from './first-import.ts';
export { importFile, type Imported, type ImportFileOptions } from './import-file.ts';
export { checkRejectPaths } from './inputs.ts';
export { nearest } from './match-fields.ts';
export { previewTable } from './preview.ts';
export { RejectFile } from './reject-file.ts';
export { replaceWith, type Replaced, type ReplaceOptions, type ReplacePlan } from './replace.ts';
export { checkEncoding } from './source.ts';
export { isFarAhead } from './record-time.ts';
export { syncFeed } from './sync-feed.ts';
export { fingerprintOf, openTable, type Table, type TableOptions } from './table.ts';
