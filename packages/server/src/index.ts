/** The service as a library. The executable decides when to start it. */
export { type AppOptions, buildApp } from './app.ts';
export { LedgerKeeper } from './privacy/ledger-keeper.ts';
export { readConfig } from './settings/config.ts';
export { serve } from './start.ts';
