import type { Config } from './config.ts';
import type { ServeOptions } from './start.ts';

/** As in `start.ts`, which is loaded only now: other commands start without the HTTP framework. */
export async function serve(config: Config, options: ServeOptions): Promise<void> {
  const start = await import('./start.ts');
  return start.serve(config, options);
}
