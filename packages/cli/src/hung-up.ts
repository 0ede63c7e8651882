/** Whether a write failed because its reader, such as `head`, had enough: no fault of anybody. */
export const hungUp = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE';
