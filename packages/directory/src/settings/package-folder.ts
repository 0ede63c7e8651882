import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The folder with `package.json` and `migrations/`: that of this package, or of the published one in its bundle. */
export const packageFolder = new URL('./', pathToFileURL(findPackageJSON(import.meta.url)!));
