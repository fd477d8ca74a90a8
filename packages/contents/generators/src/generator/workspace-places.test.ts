import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Bom } from '@colophon/sbom';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { withWorkspacePlaces } from './workspace-places.ts';

const installedAt = (value: string) => ({
  type: 'library',
  name: value,
  properties: [{ name: 'cdx:npm:package:path', value }],
});

test('a workspace is placed where its link leads; what is installed, or leads out, is not', async () => {
  const folder = temporaryFolder(onTestFinished);
  const elsewhere = temporaryFolder(onTestFinished);
  for (const path of ['node_modules/@acme', 'node_modules/real', 'packages/shop']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  symlinkSync('../../packages/shop', join(folder, 'node_modules/@acme/shop'));
  symlinkSync(elsewhere, join(folder, 'node_modules/outside'));
  symlinkSync('real', join(folder, 'node_modules/alias'));
  const paths = ['node_modules/@acme/shop', 'node_modules/real', 'node_modules/outside', 'node_modules/alias', 'no'];
  const [first, ...others] = paths.map(installedAt);
  const bom: Bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    components: [{ type: 'library', name: 'outer', components: [first!] }, ...others],
  };
  const { components } = await withWorkspacePlaces(bom, folder);
  expect(components![0]!.components![0]!.evidence).toEqual({ occurrences: [{ location: 'packages/shop' }] });
  expect(components!.slice(1)).toEqual(others);
});
