/**
 * Runs work that writes to a stream. Returns false if the reader closed the pipe early, as `head` does, which
 * is not an error. A database connection can fail with EPIPE too, so only errors of the stream count.
 */
export async function runUntilPipeCloses(
  stream: NodeJS.WritableStream,
  work: () => Promise<void>,
): Promise<boolean> {
  let closed = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    closed ||= error.code === 'EPIPE';
  };
  stream.on('error', onError);
  try {
    await work();
    return true;
  } catch (error) {
    if (closed) return false;
    throw error;
  } finally {
    stream.off('error', onError);
  }
}
