/** What a check has found, on a line of its own. */
export function report(line: string): void {
  process.stdout.write(`✓ ${line}\n`);
}
