import { visibleLines } from './visible.ts';

/** Prints messages on standard error, unless --quiet is given. */
export function createLog(quiet = false): (line: string) => void {
  return (line) => {
    if (!quiet) process.stderr.write(`${visibleLines(line)}\n`);
  };
}
