#!/usr/bin/env -S node --max-semi-space-size=8
/**
 * The `clientele` executable. The flag limits V8's young generation, so that a server stays within
 * CLIENTELE_MEMORY_MB. Data goes to standard output, messages to standard error.
 */
import { run } from './program.ts';

await run();
