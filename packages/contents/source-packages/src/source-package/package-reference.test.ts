import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceError } from '../source-error/source-error.ts';
import { parsePackageReference } from './package-reference.ts';

test.each([
  ['pkg:npm/left-pad@1.3.0', '', 'left-pad', '1.3.0'],
  ['pkg:npm/%40acme/pad@1.0.0', '@acme', 'pad', '1.0.0'],
  ['pkg:npm/@acme/pad@1.0.0', '@acme', 'pad', '1.0.0'],
  ['pkg:npm/%40acme%2Fpad@1.0.0', '@acme', 'pad', '1.0.0'],
  ['pkg:npm/JSONStream@1.3.5', '', 'JSONStream', '1.3.5'],
  ['pkg:npm/%40Acme/Pad@1.0.0', '@acme', 'Pad', '1.0.0'],
  ['pkg:pypi/Foo_Bar@1.0', '', 'foo-bar', '1.0'],
  ['pkg:golang/github.com/Acme/pad/v2@v2.0.0%2Bincompatible', 'github.com/Acme/pad', 'v2', 'v2.0.0+incompatible'],
  ['pkg:maven/org.acme/pad@1.0', 'org.acme', 'pad', '1.0'],
  ['pkg:github/acme/pad@release/1.0', 'acme', 'pad', 'release/1.0'],
])('%s names a package', (purl, namespace, name, version) => {
  expect(parsePackageReference(purl)).toMatchObject({ purl, namespace, name, version });
});

test.each([
  ['left-pad', 'feeds.purl_invalid'],
  ['', 'feeds.purl_invalid'],
  ['pkg:npm/%ff@1', 'feeds.purl_invalid'],
  ['pkg:npm/../x@1', 'feeds.purl_invalid'],
  ['pkg:npm/a%2F..%2Fb@1', 'feeds.purl_invalid'],
  ['pkg:npm/https%3A//x@1', 'feeds.purl_invalid'],
  ['pkg:npm/a@..', 'feeds.purl_invalid'],
  ['pkg:npm/a@1/../../2', 'feeds.purl_invalid'],
  ['pkg:npm/a%0db@1', 'feeds.purl_invalid'],
  ['pkg:npm/scope/a@1', 'feeds.purl_invalid'],
  ['pkg:golang/example.com/pad@v1', 'feeds.purl_invalid'],
  ['pkg:maven/pad@1', 'feeds.purl_invalid'],
  ['pkg:github/pad@1', 'feeds.purl_invalid'],
  [`pkg:npm/${'a'.repeat(5000)}@1`, 'feeds.purl_invalid'],
  ['pkg:npm/left-pad', 'feeds.purl_unsupported'],
  ['pkg:npm/left-pad@', 'feeds.purl_unsupported'],
  ['pkg:gem/rails@1', 'feeds.purl_unsupported'],
])('%s names none', (purl, code) => {
  expect(() => parsePackageReference(purl)).toThrow(expect.objectContaining({ code }));
});

describe('whatever the text', () => {
  test('no error but ours is thrown, and no part can leave its place in an address', () => {
    const purl = fc.oneof(
      fc.string(),
      fc
        .tuple(
          fc.constantFrom('npm', 'pypi', 'cargo', 'golang', 'maven', 'github'),
          fc.string(),
          fc.string(),
          fc.string(),
        )
        .map(([type, a, b, version]) => `pkg:${type}/${a}/${b}@${version}`),
    );
    fc.assert(
      fc.property(purl, (text) => {
        try {
          const { namespace, name, version } = parsePackageReference(text);
          for (const part of [...namespace.split('/'), name, ...version.split('/')]) {
            expect(part).toMatch(/^@?[A-Za-z0-9_~!.+-]*$/);
            expect(part).not.toMatch(/^\.+$/);
          }
        } catch (error) {
          if (!(error instanceof SourceError)) throw error;
        }
      }),
    );
  });
});
