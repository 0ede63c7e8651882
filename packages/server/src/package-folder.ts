/**
 * The folder with `package.json` and `migrations/`: that of this package in a checkout, and of the
 * published package in a bundle, whose files are one folder down as well.
 */
export const packageFolder = new URL('../', import.meta.url);
