import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { parseScanTarget } from './scan-target.ts';

test('a file is an SBOM, and what else reads as one is the name of an image', () => {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'shop.cdx.json');
  writeFileSync(path, '{}');
  expect(parseScanTarget(path)).toEqual({ kind: 'file', path });
  expect(parseScanTarget('alpine:3.19')).toEqual({ kind: 'image', reference: 'docker.io/library/alpine:3.19' });
});

test.each(['--output=/etc/passwd', '-q', 'no such file', '../x', ''])('nothing else is one: %j', (text) => {
  expect(() => parseScanTarget(text)).toThrow(expect.objectContaining({ code: 'feeds.target_unknown' }));
});

test('of a folder an SBOM is made first', () => {
  const folder = temporaryFolder(onTestFinished);
  mkdirSync(join(folder, 'project'));
  expect(() => parseScanTarget(join(folder, 'project'))).toThrow(
    expect.objectContaining({
      code: 'feeds.target_unknown',
      facts: expect.objectContaining({ next: expect.any(String) }),
    }),
  );
});
