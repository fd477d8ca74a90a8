import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSourcePurl } from './source-purl.ts';

test.each([
  ['pkg:npm/left-pad@1.3.0', 'left-pad', '1.3.0'],
  ['pkg:npm/%40acme/left-pad@1.3.0', '@acme/left-pad', '1.3.0'],
  ['pkg:maven/org.acme/pad@2', 'org.acme:pad', '2'],
  ['pkg:golang/example.com/acme/pad@v1.0.0', 'example.com/acme/pad', 'v1.0.0'],
  ['pkg:golang/...@v1', '...', 'v1'],
  ['pkg:npm/JSONStream@1.3.5', 'JSONStream', '1.3.5'],
  ['pkg:generic/pad@1?checksum=sha256:00', 'pad', '1'],
])('%s is the package %s', (purl, packageName, version) => {
  expect(parseSourcePurl(purl)).toMatchObject({ ok: true, value: { purl, packageName, version } });
});

test.each([
  ['left-pad@1.3.0', 'vendored.purl_invalid'],
  ['pkg:npm/@acme/left@pad@1.3.0', 'vendored.purl_invalid'],
  ['pkg:npm/a%00b@1', 'vendored.purl_invalid'],
  ['pkg:npm/a@1%0a', 'vendored.purl_invalid'],
  ['pkg:npm/', 'vendored.purl_invalid'],
  ['', 'vendored.purl_invalid'],
  ['pkg:npm/left-pad', 'vendored.version_missing'],
])('%j is refused', (purl, code) => {
  expect(parseSourcePurl(purl)).toMatchObject({ ok: false, issues: [{ code }] });
});

test('the @ of a scope may stand as it is, and is written %40', () => {
  const { value } = parseSourcePurl('pkg:npm/@acme/left-pad@1.3.0') as { value: unknown };
  expect(value).toMatchObject({ purl: 'pkg:npm/%40acme/left-pad@1.3.0', packageName: '@acme/left-pad' });
});

test('no text makes it throw', () => {
  const unit = fc.constantFrom(
    'pkg:',
    'npm',
    'golang',
    '/',
    '@',
    '%',
    '%40',
    '.',
    '?',
    '#',
    'a',
    '1',
    ' ',
    '=',
    '\u0000',
  );
  fc.assert(fc.property(fc.string({ unit }), (text) => void parseSourcePurl(`pkg:${text}`)));
});
