import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { ARTIFACT, draftBlob, draftStatement, STATEMENT } from '@colophon/testkit/local-sigstore/draft-bundle';
import { CLAIMS, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, onTestFinished, test } from 'vitest';

const local = new LocalSigstore();
const root = local.trustedRootJson();

/** Of a type that is not ours, whose predicate nobody reads. */
const FOREIGN = { ...STATEMENT, predicateType: 'https://example.com/anything/v1' };

/** A suite of our own in the form of the public one, with cases that carry a verdict in their name. */
function writeSuite(cases: Readonly<Record<string, { bundle: object; trusted_root?: object }>>): string {
  const suite = temporaryFolder(onTestFinished);
  const assets = join(suite, 'test', 'assets', 'bundle-verify');
  for (const [name, { bundle, trusted_root }] of Object.entries(cases)) {
    const folder = join(assets, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bundle.sigstore.json'), JSON.stringify(bundle));
    if (trusted_root !== undefined) writeFileSync(join(folder, 'trusted_root.json'), JSON.stringify(trusted_root));
    writeFileSync(join(folder, 'identity'), `${CLAIMS.sub}\n`);
    writeFileSync(join(folder, 'issuer'), CLAIMS.iss);
  }
  writeFileSync(join(assets, 'a.txt'), ARTIFACT);
  return suite;
}

/** Starts the program for each case: six times, on a machine that may be busy. */
const TIMEOUT_MS = 300_000;

test('a suite is counted case by case, by file and by digest', { timeout: TIMEOUT_MS }, () => {
  const suite = writeSuite({
    'trust-root-tlog-validity-end-inclusive': { bundle: draftStatement(local, FOREIGN), trusted_root: root },
    stranger_fail: { bundle: draftBlob(new LocalSigstore()) },
    good_fail: { bundle: draftBlob(local), trusted_root: root },
  });
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, '../conformance.ts'), suite], {
    encoding: 'utf8',
  });
  expect(stdout.match(/^FAILED \S+/gm)?.sort()).toEqual(['FAILED DIGEST-good_fail:', 'FAILED PATH-good_fail:']);
  expect(stdout).toMatch(/^4 of 6$/m);
  expect(status).toBe(1);
});
