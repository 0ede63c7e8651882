#!/usr/bin/env -S node --max-semi-space-size=8
/**
 * The executable of the published package. It is CommonJS with old syntax, so that an old Node can read it
 * and say that it is too old. The flag is the one of `src/main.ts`.
 */
'use strict';

if (Number.parseInt(process.versions.node, 10) >= 24) {
  void import('../lib/main.js');
} else {
  process.stderr.write(
    'clientele: Node 24 or later is required; this is Node ' + process.versions.node + '.\n',
  );
  process.exitCode = 1;
}
