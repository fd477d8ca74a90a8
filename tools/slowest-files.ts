// Prints how long each file of a report took, "SECONDS FILE" a line: of a suite whose files run one after the other.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

type TimedReport = {
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly startTime: number; readonly endTime: number }>;
};

const file = process.argv[2] ?? '';
const { testResults } = existsSync(file)
  ? (JSON.parse(readFileSync(file, 'utf8')) as TimedReport)
  : { testResults: [] };
for (const { name, startTime, endTime } of testResults) {
  console.log(`${Math.round((endTime - startTime) / 1000)} ${relative(process.cwd(), name)}`);
}
