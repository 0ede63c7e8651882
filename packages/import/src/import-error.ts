/** An import cannot start or continue. The message is written for the person who started it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

export const notMigrated = 'The database has no Clientele tables yet. Run: clientele migrate';
