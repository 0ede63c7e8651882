/**
 * Does work that writes to a stream, and returns whether all of it was read. A reader that has enough,
 * such as `head`, is no fault. A database may break with the same code, so the stream itself is asked.
 */
export async function whileRead(
  stream: NodeJS.WritableStream,
  work: () => Promise<void>,
): Promise<boolean> {
  let hungUp = false;
  const notice = (error: NodeJS.ErrnoException): void => {
    hungUp ||= error.code === 'EPIPE';
  };
  stream.on('error', notice);
  try {
    await work();
    return true;
  } catch (error) {
    if (hungUp) return false;
    throw error;
  } finally {
    stream.off('error', notice);
  }
}
