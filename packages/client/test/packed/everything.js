/** The entry that `pnpm size` measures: both entries of the package in one bundle. */
export * from '../../dist/index.js';
export * from '../../dist/react/index.js';
