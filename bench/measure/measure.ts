/** One round of some work in this process. */
export type Sample = { readonly cpuMicros: number; readonly perSecond: number };

/** Does `work` for every input, at most `atOnce` of them at a time; CPU of the whole process, per input. */
export async function measure<Input>(
  inputs: readonly Input[],
  work: (input: Input) => unknown,
  atOnce = 1,
): Promise<Sample> {
  const rest = inputs.values();
  const before = process.cpuUsage();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const input of rest) await work(input);
    }),
  );
  const milliseconds = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  return { cpuMicros: (user + system) / inputs.length, perSecond: (inputs.length / milliseconds) * 1000 };
}

/** The middle one; the upper of the two where their number is even. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
