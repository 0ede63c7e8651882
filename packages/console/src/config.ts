/** `/config.json`: what an operator can change without rebuilding. */
export interface ConsoleConfig {
  /** The server's URL; empty when the server also serves this page. */
  apiUrl: string;
  /** The ISO 4217 code of every amount. */
  currency: string;
  /** The host of the provider that people can sign in with; null where they need an access key. */
  provider: string | null;
}

export async function loadConfig(): Promise<ConsoleConfig> {
  const response = await fetch('/config.json');
  const given = response.ok ? ((await response.json()) as Partial<ConsoleConfig>) : {};
  const { apiUrl = '', currency = 'EUR', provider = null } = given;
  return { apiUrl, currency, provider };
}
