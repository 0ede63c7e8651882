#!/usr/bin/env node
/** The `clientele` executable. Data goes to standard output, talk to standard error. */
import { limitYoungGeneration } from './young-generation.ts';

if (process.argv[2] === 'serve') limitYoungGeneration();
// Only now, so that nothing is loaded twice.
const { run } = await import('./program.ts');
await run();
