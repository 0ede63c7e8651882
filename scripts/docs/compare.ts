/** Compares a list in a page with the list in the code. */
export function compare(where: string, documented: string[], known: string[]): string[] {
  return [
    ...known.filter((each) => !documented.includes(each)).map((each) => `${each} is missing`),
    ...documented.filter((each) => !known.includes(each)).map((each) => `${each} does not exist`),
  ].map((fault) => `${where}: ${fault}`);
}

export const firstGroups = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, group]) => group!);
