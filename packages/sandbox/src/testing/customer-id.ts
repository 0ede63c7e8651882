/** The n-th of the identifiers that tests use. */
export const customerId = (n: number): string =>
  `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
