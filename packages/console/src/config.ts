/** `/config.json`: what an operator can change without rebuilding. */
export interface ConsoleConfig {
  /** The server's URL; empty when the server also serves this page. */
  apiUrl: string;
  /** The ISO 4217 code of every amount. */
  currency: string;
}

export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch('/config.json');
  const given = response.ok ? ((await response.json()) as Partial<ConsoleConfig>) : {};
  return { apiUrl: given.apiUrl ?? '', currency: given.currency ?? 'EUR' };
}
