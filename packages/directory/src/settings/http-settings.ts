/** Where an instance listens. */
import { settingReaders } from './setting-readers.ts';

export interface HttpConfig {
  host: string;
  port: number;
  /** That of metrics and health, if they have one of their own. */
  adminPort: number | undefined;
}

export function readHttpConfig(
  env: Record<string, string | undefined>,
  faults: string[],
): HttpConfig {
  const { integer } = settingReaders(env, faults);
  const port = integer('PORT', 8080, 0, 65_535);
  const adminPort = integer('CLIENTELE_ADMIN_PORT', 0, 1, 65_535) || undefined;
  if (adminPort === port) faults.push('CLIENTELE_ADMIN_PORT must differ from PORT');
  return { host: env['HOST'] || '127.0.0.1', port, adminPort };
}
