import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { runLine } from './command-line.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const KEPT = {
  format: 'colophon-scan/v1',
  scanner: { name: 'grype' },
  source: { name: 'grype.json', digest: DIGEST },
  findings: [],
  unread: [],
};

test.each(['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59'])(
  'a kept scan of %s, which no year of UTC has, is refused',
  async (scannedAt) => {
    const file = join(temporaryFolder(onTestFinished), 'kept.json');
    writeFileSync(file, JSON.stringify({ ...KEPT, scannedAt }));
    const ran = await runLine(['scan', 'import', file]);
    expect([ran.exitCode, ran.stderr]).toEqual([20, expect.stringContaining('scan_record.field_invalid')]);
  },
);
