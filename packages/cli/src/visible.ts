/**
 * Text of somebody else, for a terminal: control characters could command it, and those of bidirectional text hide what
 * is there.
 */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029\u061C]/gu, '\u{FFFD}');

/** The same of a message that has lines and columns of its own. */
export const visibleLines = (text: string): string => text.replace(/[^\n\t]+/g, visible);
