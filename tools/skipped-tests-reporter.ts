import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { type Skipped, skippedLine } from './skipped-tests.ts';

/** The last line of a run says what was skipped on this machine, and how to have it. */
export default class SkippedTestsReporter implements Reporter {
  #isWhole = true;

  onInit({ config }: Vitest): void {
    // With `-t` vitest skips whatever has another title.
    this.#isWhole = config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#isWhole) return;
    const skipped = modules.map(
      ({ relativeModuleId, children }): Skipped => ({
        file: relativeModuleId,
        tests: [...children.allTests('skipped')].length,
      }),
    );
    const line = skippedLine(skipped);
    if (line !== undefined) console.log(line);
  }
}
