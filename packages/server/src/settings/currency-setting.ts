/** The currency that the console shows. */
export function readCurrency(env: Record<string, string | undefined>, faults: string[]): string {
  const currency = env['CLIENTELE_CURRENCY'] || 'EUR';
  if (!Intl.supportedValuesOf('currency').includes(currency)) {
    faults.push('CLIENTELE_CURRENCY must be a currency code like EUR, USD or JPY');
  }
  return currency;
}
