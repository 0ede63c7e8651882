/** Reads customers from files and feeds, validates them and writes them. Uses no environment variables and no terminal. */
export { parseDate, type DateOrder } from './dates.ts';
export { rules, type Rule } from './faults.ts';
export { openFeed } from './feed.ts';
export { fieldNames, type Field } from './fields.ts';
export { ImportError, notMigrated } from './import-error.ts';
export { isIndexMissing, repairFirstImport } from './first-import.ts';
export { importFile, type Imported } from './import-file.ts';
export { nearest } from './match-fields.ts';
export { previewTable } from './preview.ts';
export { RejectFile } from './reject-file.ts';
export { replaceWith, type Replaced, type ReplacePlan } from './replace.ts';
export { checkEncoding } from './source.ts';
export { syncFeed } from './sync-feed.ts';
export { fingerprintOf, openTable, type TableOptions } from './table.ts';
