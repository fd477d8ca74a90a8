// `npm run conformance -- SUITE_DIR`: runs the verification cases of a checkout of sigstore/sigstore-conformance against
// the program, each with the artifact's file and with its digest, as the suite's own runner does. Its signing tests need
// Sigstore's public services and are not run.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCases } from './conformance/case.ts';
import { runCase } from './conformance/run-case.ts';

const [suite] = process.argv.slice(2);
if (suite === undefined) {
  console.error('npm run conformance -- SUITE_DIR, a checkout of https://github.com/sigstore/sigstore-conformance');
  process.exit(1);
}
const scratch = mkdtempSync(join(tmpdir(), 'colophon-conformance-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const cases = readCases(suite, scratch);
const waiting = cases.entries();
const failures: string[] = [];
// Each worker takes the next case from the one iterator.
const work = async () => {
  for (const [, one] of waiting) {
    const failure = await runCase(one);
    if (failure === undefined) continue;
    failures.push(one.name);
    console.log(`FAILED ${one.name}: ${failure}`);
  }
};
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(`${cases.length - failures.length} of ${cases.length}`);
if (failures.length > 0 || cases.length === 0) process.exitCode = 1;
