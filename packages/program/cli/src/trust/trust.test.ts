import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { recordingSession } from '../../test/command-line.ts';
import { reportOf } from '../report/report.ts';
import { trustMaterial } from './trust.ts';

test('no trusted root is ever made up or fetched', async () => {
  const data = temporaryFolder(onTestFinished);
  const session = recordingSession({ COLOPHON_HOME: data, COLOPHON_TRUSTED_ROOT: '' });
  await expect(trustMaterial({}, new Command(), session)).rejects.toMatchObject({
    code: 'cli.no_trusted_root',
    kind: 'usage',
    facts: { checked: expect.stringMatching(data), next: expect.stringMatching('colophon up') },
  });
});

test.each(['', '{}', 'null', '<html>', '{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1"}'])(
  'a trusted root that holds %j is refused with its file, and nothing stands in for it',
  async (text) => {
    const file = join(temporaryFolder(onTestFinished), 'root.json');
    writeFileSync(file, text);
    const session = recordingSession({ COLOPHON_TRUSTED_ROOT: file });
    const error = await trustMaterial({}, new Command(), session).catch((thrown: unknown) => thrown);
    expect(reportOf(error)).toMatchObject({
      code: expect.stringMatching(/^trusted_root\./),
      checked: file,
      trust: file,
    });
  },
);

test('a trusted root that is not there is not replaced by another', async () => {
  const session = recordingSession({ COLOPHON_TRUSTED_ROOT: '/nowhere/root.json' });
  await expect(trustMaterial({}, new Command(), session)).rejects.toMatchObject({ code: 'cli.file_unreadable' });
  await expect(trustMaterial({ trustedRoot: '/else/root.json' }, new Command(), session)).rejects.toMatchObject({
    facts: { checked: '/else/root.json' },
  });
});
