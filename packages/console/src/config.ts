/** What an operator decides without building anew: `/config.json` beside the page. */
export interface ConsoleConfig {
  /** Where the service is; empty when it serves this page. */
  apiUrl: string;
  /** ISO 4217, of every amount. */
  currency: string;
}

export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch('/config.json');
  const given = response.ok ? ((await response.json()) as Partial<ConsoleConfig>) : {};
  return { apiUrl: given.apiUrl ?? '', currency: given.currency ?? 'EUR' };
}
