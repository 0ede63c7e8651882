/**
 * Whose request the current work belongs to, so that lanes can be fair without every function between them and
 * the route passing it on. Shared work belongs to the request that started it; upkeep belongs to nobody.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

export const onBehalfOf = <T>(key: string, work: () => T): T => current.run(key, work);

export const currentKey = (): string => current.getStore() ?? '';
