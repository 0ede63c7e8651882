/** Where the upkeep of the audit reports. */
export interface Logger {
  info(about: object | string, message?: string): void;
  warn(about: object | string, message?: string): void;
  error(about: object | string, message?: string): void;
}
