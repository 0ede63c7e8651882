/** Fails unless the text is there, once. */
export function replaceOnce(text: string, from: string, to: string): string {
  const [before, after, ...more] = text.split(from);
  if (after === undefined || more.length > 0) {
    throw new Error(
      `Expected once, and found ${more.length + (after === undefined ? 0 : 1)} times: ${from}`,
    );
  }
  return `${before}${to}${after}`;
}
