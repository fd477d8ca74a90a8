import { expect, test } from 'vitest';
import { productIdentifier } from './product-identifier.ts';

test.each([
  [{ purl: 'pkg:oci/shop@sha256:ab', name: 'Shop' }, 'pkg:oci/shop@sha256:ab'],
  [{ name: 'Shop', version: '1.0.1' }, 'pkg:generic/shop@1.0.1'],
  [{ name: 'shop' }, 'pkg:generic/shop'],
  [{ name: 'a shop/one', version: '1' }, 'pkg:generic/a%20shop%2Fone@1'],
  [{ name: ' ' }, undefined],
  [{}, undefined],
])('%j is called %s', (artifact, purl) => {
  expect(productIdentifier(artifact)).toBe(purl);
});
