/** Why an import cannot start or go on. The message is meant for the person who started it. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
