// Prints how long each file of some reports took, "SECONDS FILE" a line: of suites whose files run one after the other.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

type TimedReport = {
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly startTime: number; readonly endTime: number }>;
};

for (const file of process.argv.slice(2).filter((one) => existsSync(one))) {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as TimedReport;
  for (const { name, startTime, endTime } of testResults) {
    console.log(`${Math.round((endTime - startTime) / 1000)} ${relative(process.cwd(), name)}`);
  }
}
