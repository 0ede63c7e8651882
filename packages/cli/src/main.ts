#!/usr/bin/env node
/** The `clientele` executable. Data goes to standard output, talk to standard error. */
import { CommanderError } from 'commander';
import { explain } from './explain.ts';
import { createProgram } from './program.ts';

try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`clientele: ${explain(error)}\n`);
    process.exitCode = 1;
  }
}
