/** The identifier of test customer `n`. */
export const customerId = (n: number): string =>
  `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
