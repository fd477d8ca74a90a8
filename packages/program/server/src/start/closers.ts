/** Closes one thing that was opened. */
export type Closer = () => unknown;

/** Closes in reverse order; one that fails keeps none from being closed. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const close = closers.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(closers);
  }
}
