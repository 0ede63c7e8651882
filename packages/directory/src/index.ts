/** The directory's database, and everything about it that needs no HTTP. */
export { makeAccessKey, parseAccessKey, sameHash } from './access/access-key.ts';
export {
  type AccessKeyRecord,
  type ActiveKey,
  findActiveKey,
  insertKey,
  type KeyLimits,
  listKeys,
  revokeKey,
} from './access/key-store.ts';
export { disablePerson, enablePerson, listPeople } from './access/people-store.ts';
export { AuditLog, AuditUnavailableError } from './audit/audit-log.ts';
export type { AuditReport } from './audit/audit-report.ts';
export { ChainStore } from './audit/chain-store.ts';
export { Checkpoints } from './audit/checkpoints.ts';
export { changeAccess, queriesOf, recordAction } from './audit/command-audit.ts';
export { defaultSpool } from './audit/default-spool.ts';
export { type AccessAction, type AuditEntry, nobody, searchHash } from './audit/entry.ts';
export { ExportAudit } from './audit/export-audit.ts';
export { type AuditFilter, keepAuditMonths, readAudit, type StoredEntry } from './audit/read.ts';
export { uuidBytes } from './audit/shown.ts';
export { damagedFiles, Spool } from './audit/spool.ts';
export { dropOldMonth } from './audit/store.ts';
export { checkpointsIn } from './audit/verify-checkpoints.ts';
export { verifyAudit } from './audit/verify.ts';
export { checkDatabase } from './db/check-database.ts';
export { connectToPrimary } from './db/connect-to-primary.ts';
export { columnTypes } from './db/customer-columns.ts';
export { connectionsNeeded, type Database, openDatabase, type ReadLanes } from './db/database.ts';
export { codeOf } from './db/error-code.ts';
export {
  DatabaseMismatchError,
  DatabaseUnavailableError,
  DatabaseUnfitError,
  isConnectionError,
  isExhausted,
  isSchemaMissing,
  NoSlotError,
  OrderOffError,
  QueryAbortedError,
  QueryTimeoutError,
  RowsOutdatedError,
  UnloggedWritesError,
} from './db/errors.ts';
export { createDatabase, schemaProblem } from './db/fitness.ts';
export { Lane } from './db/lane.ts';
export { migrate } from './db/migrate.ts';
export { checkHistory, type Migration, MigrationError, readMigrations } from './db/migrations.ts';
export { Node } from './db/node.ts';
export { type Authority, Nodes, type Queries } from './db/nodes.ts';
export { currentKey, onBehalfOf } from './db/on-behalf.ts';
export type { ChangeOptions, ChangeProgress } from './db/online-change.ts';
export { addOrder, type Order, orders, removeOrder } from './db/orders.ts';
export { listPreparations, type Preparation, prepare } from './db/preparations.ts';
export { maskingState, prepareMasking } from './db/prepare-masking.ts';
export { pendingRefresh, refreshSearch } from './db/refresh-search.ts';
export { ReplicaFreshness } from './db/replica-freshness.ts';
export { sessionSettings } from './db/session-settings.ts';
export { readerRole, withSettings } from './db/session.ts';
export { Slots } from './db/slots.ts';
export {
  findUnprepared,
  isSmallDirectory,
  largeDirectory,
  prepareSmallDirectory,
} from './db/small-directory.ts';
export { differingCustomers } from './db/sorted-places.ts';
export type { RunStatement, Statement } from './db/statement.ts';
export { takeSession } from './db/take-session.ts';
export { examine } from './doctor/examine.ts';
export { examineNodes, type NodeFinding } from './doctor/nodes.ts';
export { LruMap } from './memory/lru-map.ts';
export { ownBuffer } from './memory/own-buffer.ts';
export { erasedNow, isErasure, isLift, lackedBy } from './privacy/erasure/compare.ts';
export { eraseCustomers, type EraseOptions, keepErasures } from './privacy/erasure/erase.ts';
export { addressesOfNobody, findPeople, type Person } from './privacy/erasure/find-people.ts';
export { type Identifiers, suppressionHashes, suppressionKey } from './privacy/erasure/hashes.ts';
export {
  type ErasureEntry,
  Ledger,
  type LedgerEntry,
  LedgerError,
  type LiftEntry,
} from './privacy/erasure/ledger.ts';
export {
  findSuppressions,
  type FoundSuppression,
  liftSuppressions,
} from './privacy/erasure/lift.ts';
export { findLacking, reapplyLedger } from './privacy/erasure/reapply.ts';
export {
  readEntries,
  readErasures,
  readLifts,
  readPresent,
  readVersion,
} from './privacy/erasure/stored.ts';
export {
  type Contact,
  type Screened,
  SuppressionError,
  Suppressions,
} from './privacy/erasure/suppressions.ts';
export { keepSuppressed } from './privacy/erasure/sweep.ts';
export { clearTraces, graceSeconds, type Remaining } from './privacy/erasure/traces.ts';
export { countDue, type DueCounts, readDue, readToday } from './privacy/retention/due.ts';
export { eraseDue } from './privacy/retention/erase-due.ts';
export {
  parseRetentionRules,
  type RetentionRule,
  RetentionRulesError,
} from './privacy/retention/rules.ts';
export {
  type Asked,
  readSightings,
  readSubject,
  type Sighting,
  type Subject,
} from './privacy/subject/read-subject.ts';
export { estimate } from './query/estimate.ts';
export { exportCustomers, type ExportedBatch } from './query/export.ts';
export {
  asRecorded,
  calendar,
  type Filters,
  filtersKey,
  type Flags,
  passes,
  placeEpoch,
  type Range,
} from './query/filters.ts';
export {
  type ListQuery,
  parseListQuery,
  parseSuggestionsQuery,
  parseTimelineQuery,
  queryKey,
  timelineKey,
  type TimelineOptions,
  type TimelineQuery,
} from './query/list-query.ts';
export {
  foundBy,
  isListed,
  matchCondition,
  perShape,
  rangeParameters,
  type Shape,
  valuesOf,
} from './query/match-condition.ts';
export { parseQuery } from './query/query-string.ts';
export {
  anyFlags,
  asParameters,
  everyone,
  inEveryOrder,
  isUuid,
  narrowed,
  type Patterns,
  patternsOf,
  patternsStatement,
  SearchReader,
  sorted,
  type Terms,
  withFlags,
  withoutRange,
} from './query/search.ts';
export { concerns, loggedPlace, orderBy, orderOf, placeIn } from './query/sort.ts';
export { rowColumns, wireColumns } from './query/to-wire.ts';
export { hiddenMember, textColumns, type View } from './query/view.ts';
export { type AuditConfig, readAuditConfig } from './settings/audit-settings.ts';
export {
  readAuditSettings,
  readConnections,
  readDatabaseUrl,
  readHttpSettings,
  readLedgerSettings,
  readSecretPath,
} from './settings/command-settings.ts';
export { ConfigError } from './settings/config-error.ts';
export { type NodesConfig, readDatabaseConfig } from './settings/database-settings.ts';
export { type HttpConfig, readHttpConfig } from './settings/http-settings.ts';
export { type LedgerConfig, readLedgerConfig } from './settings/ledger-settings.ts';
export { nodeUrls } from './settings/node-urls.ts';
export { createPrivateFile, type PrivateFile } from './settings/private-file.ts';
export {
  createSecret,
  createSecretFile,
  type PublicKey,
  readPublicKey,
  readSecretFile,
  rotateSecretFile,
  type Secret,
  SecretError,
} from './settings/secret.ts';
export { withoutServiceVariables } from './settings/service-variables.ts';
export { settingReaders } from './settings/setting-readers.ts';
export { timeouts, type Timeouts } from './settings/timeouts.ts';
export { version } from './settings/version.ts';
export {
  type Attributes,
  inSpan,
  inTrace,
  setTracer,
  type SpanKind,
  tracer,
  type Tracer,
} from './tracing/trace.ts';
