/** A second implementation of search and list, independent of the SQL, to compare it with. */
export { listMatches, listPage, matchesAnywhere, newestFirst } from './reference/directory.ts';
export { fold } from './reference/fold.ts';
export { spellings } from './reference/spellings.ts';
