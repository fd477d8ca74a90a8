import { expect, test } from 'vitest';
import { imageOf } from './scan-target.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

test.each([
  ['alpine:3.19', 'docker.io/library/alpine:3.19'],
  ['shop/cart', 'docker.io/shop/cart'],
  [`registry.example.com:5000/shop@${DIGEST}`, `registry.example.com:5000/shop@${DIGEST}`],
])('%s is the image %s', (text, image) => {
  expect(imageOf(text)).toBe(image);
});

test.each(['--output=/etc/passwd', '-q', '', ' ', '../shop', '/etc', 'dir:/etc', 'sbom:/etc/passwd', 'a b', 'shop\n'])(
  '%j is none',
  (text) => {
    expect(() => imageOf(text)).toThrow(expect.objectContaining({ code: 'feeds.target_unknown' }));
  },
);
