/** How a test says what is to be done after it; vitest's `onTestFinished` is one, and so is {@link cleanupAt}. */
export type Cleanup = (undo: () => void) => void;

/**
 * What the tests of a file or group have in common is undone after all of them, the last first:
 * `const cleanup = cleanupAt(afterAll)`.
 */
export function cleanupAt(after: (undo: () => Promise<void>) => void): (undo: () => unknown) => void {
  const steps: Array<() => unknown> = [];
  after(async () => {
    for (const step of steps.reverse()) await step();
  });
  return (undo) => void steps.push(undo);
}
