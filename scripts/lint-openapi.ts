/** `pnpm openapi:check`: lints the OpenAPI document that the server returns, and compares it with the last release. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openapiDocument } from '@clientele/contract/openapi';
import { losses } from './openapi-losses.ts';
import { releasedApi } from './release/prepare.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'clientele-openapi-'));
try {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(openapiDocument('0.0.0'), null, 2));
  const { status, error } = spawnSync(
    join(root, 'node_modules/.bin/redocly'),
    ['lint', file, '--config', join(root, 'redocly.yaml')],
    {
      stdio: 'inherit',
      // No telemetry and no check for newer versions.
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      },
    },
  );
  if (error) throw error;
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const lost = existsSync(releasedApi)
  ? losses(
      JSON.parse(readFileSync(releasedApi, 'utf8')),
      JSON.parse(JSON.stringify(openapiDocument('0.0.0'))),
    )
  : [];
for (const loss of lost) process.stderr.write(`openapi: compared with the last release, ${loss}\n`);
if (lost.length > 0) process.exitCode = 1;
