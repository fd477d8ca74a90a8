import type { Bom } from '@colophon/sbom';
import { expect, test } from 'vitest';
import { missedPackages } from './missed-packages.ts';

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.7',
  components: [
    { type: 'library', name: 'Some_Name', version: '1.0', purl: 'pkg:pypi/some-name@1.0?x=y' },
    {
      type: 'library',
      name: 'text',
      group: 'golang.org/x',
      version: 'v1.0.0',
      purl: 'pkg:golang/golang.org/x/text@v1.0.0',
    },
    { type: 'library', name: 'scoped', version: '1', purl: 'pkg:npm/%40acme/scoped@1' },
    { type: 'library', name: 'action', version: 'main/x', purl: 'pkg:github/a/b@main/x' },
  ],
} as Bom;

test.each([
  [{ name: 'some.name', version: '1.0', purl: 'pkg:pypi/some.name@1.0' }, []],
  [{ name: 'some-name' }, []],
  [{ name: 'golang.org/x/text', version: 'v1.0.0', purl: 'pkg:golang/golang.org/x/text@v1.0.0' }, []],
  [{ name: 'golang.org/x/text', purl: 'pkg:golang/golang.org/x/text' }, []],
  [{ name: 'some-name', version: '2.0', purl: 'pkg:pypi/some-name@2.0' }, ['some-name@2.0']],
  [{ name: '@acme/scoped', version: '1', purl: 'pkg:npm/@acme/scoped@1' }, []],
  [{ name: 'b', purl: 'pkg:github/a/b' }, []],
  [{ name: 'click', purl: 'pkg:pypi/click?vcs_url=x' }, ['click']],
])('of %j is missed %j', (locked, missed) => {
  expect(missedPackages(bom, { root: {}, packages: [{ key: 'k', ...locked }] })).toEqual(missed);
});
