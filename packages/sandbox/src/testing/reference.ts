/** The search rule and the list once more, written apart from the SQL, to compare it with. */
export { listMatches, listPage, matchesAnywhere, newestFirst } from './reference/directory.ts';
export { fold } from './reference/fold.ts';
