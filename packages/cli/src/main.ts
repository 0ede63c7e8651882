#!/usr/bin/env node
/** The `clientele` executable. */
import { keepHeapSmall } from './small-heap.ts';

if (process.argv[2] === 'serve') keepHeapSmall();
// Only now: of what is loaded, nothing is loaded twice.
const { run } = await import('./program.ts');
await run();
