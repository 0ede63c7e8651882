/** The service as a library. The executable decides when to start it. */
export { buildApp, type AppOptions } from './app.ts';
export { defaultSpool } from './audit/audit.ts';
export { changeAccess, recordAction } from './audit/command-audit.ts';
export type { AccessAction } from './audit/entry.ts';
export { ExportAudit } from './audit/export-audit.ts';
export { keepAuditMonths, readAudit, type AuditFilter, type StoredEntry } from './audit/read.ts';
export {
  createSecret,
  createSecretFile,
  readPublicKey,
  rotateSecretFile,
  type PublicKey,
  readSecretFile,
  SecretError,
  type Secret,
} from './secret.ts';
export { searchHash } from './audit/entry.ts';
export { damagedFiles } from './audit/spool.ts';
export type { AuditReport } from './audit/audit-report.ts';
export { verifyAudit } from './audit/verify.ts';
export { checkpointsIn } from './audit/verify-checkpoints.ts';
export {
  readAuditSettings,
  readConnections,
  readDatabaseUrl,
  readHttpSettings,
  readSecretPath,
  readLedgerSettings,
} from './command-settings.ts';
export { ConfigError, readConfig, timeouts } from './config.ts';
export { exportCustomers } from './customers/export.ts';
export { asRecorded } from './customers/filters.ts';
export { isUuid } from './customers/search.ts';
export { parseListQuery, type ListQuery } from './customers/list-query.ts';
export { connectionsNeeded } from './db/database.ts';
export { connectToPrimary } from './db/connect-to-primary.ts';
export { nodeUrls } from './node-urls.ts';
export { Nodes } from './db/nodes.ts';
export { DatabaseUnfitError, isConnectionError } from './db/errors.ts';
export { createDatabase, schemaProblem } from './db/fitness.ts';
export { migrate } from './db/migrate.ts';
export { addOrder, listOrders, orders, removeOrder, type Order } from './db/orders.ts';
export { isMaskingReady, prepareMasking } from './db/prepare-masking.ts';
export {
  findUnprepared,
  isSmallDirectory,
  largeDirectory,
  prepareSmallDirectory,
  type Unprepared,
} from './db/small-directory.ts';
export { pendingRefresh, refreshSearch } from './db/refresh-search.ts';
export { checkHistory, MigrationError, readMigrations, type Migration } from './db/migrations.ts';
export { suppressionHashes, suppressionKey, type Identifiers } from './erasure/hashes.ts';
export { eraseCustomers, keepErasures, type EraseOptions } from './erasure/erase.ts';
export { findPeople, type Person } from './erasure/find-people.ts';
export { Ledger, LedgerError } from './erasure/ledger.ts';
export { LedgerKeeper } from './erasure/ledger-keeper.ts';
export { findSuppressions, liftSuppressions, type FoundSuppression } from './erasure/lift.ts';
export { findLacking, reapplyLedger } from './erasure/reapply.ts';
export { clearTraces, graceSeconds, type Remaining } from './erasure/traces.ts';
export {
  SuppressionError,
  Suppressions,
  type Contact,
  type Screened,
} from './erasure/suppressions.ts';
export { examineNodes, type NodeFinding } from './doctor/nodes.ts';
export { makeAccessKey } from './keys/access-key.ts';
export {
  insertKey,
  listKeys,
  revokeKey,
  type AccessKeyRecord,
  type KeyLimits,
} from './keys/store.ts';
export { disablePerson, enablePerson, listPeople } from './people/store.ts';
export { countDue, readDue, readToday, type DueCounts } from './retention/due.ts';
export { eraseDue } from './retention/erase-due.ts';
export { parseRetentionRules, RetentionRulesError, type RetentionRule } from './retention/rules.ts';
export { createPrivateFile, type PrivateFile } from './private-file.ts';
export { serve } from './serve.ts';
export {
  readSightings,
  readSubject,
  type Asked,
  type Sighting,
  type Subject,
} from './subject/read-subject.ts';
export { version } from './version.ts';
