import { expect, test } from 'vitest';
import { purlOfImage } from './image-reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const VERSION = `@sha256%3A${'a'.repeat(64)}`;

test.each([
  ['registry.example.com/team/shop:1.0', 'pkg:oci/shop?repository_url=registry.example.com%2Fteam%2Fshop&tag=1.0'],
  [`registry.example.com/shop@${DIGEST}`, `pkg:oci/shop${VERSION}?repository_url=registry.example.com%2Fshop`],
  [`localhost:5000/shop:v1@${DIGEST}`, `pkg:oci/shop${VERSION}?repository_url=localhost%3A5000%2Fshop&tag=v1`],
  ['nginx:1.29', 'pkg:oci/nginx?repository_url=index.docker.io%2Flibrary%2Fnginx&tag=1.29'],
  ['rancher/shell:v1', 'pkg:oci/shell?repository_url=index.docker.io%2Francher%2Fshell&tag=v1'],
  ['docker.io/library/nginx:1', 'pkg:oci/nginx?repository_url=index.docker.io%2Flibrary%2Fnginx&tag=1'],
])('the image %s is %s', (reference, purl) => {
  expect(purlOfImage(reference)).toBe(purl);
});

test.each([
  'nginx',
  'registry.example.com/shop',
  'registry.example.com:5000/shop',
  DIGEST,
  'pkg:oci/shop@1',
  'cpe:2.3:a:b:c:*:*:*:*:*:*:*:*',
  'cpe:/a:b:c',
  'urn:uuid:1',
  'https://registry.example.com/shop:1',
  'a//b:1',
  'shop:',
  'Shop:1',
  '',
])('"%s" names no image, or not which one', (text) => {
  expect(purlOfImage(text)).toBeUndefined();
});

test('a name of a million letters is looked at once', () => {
  expect(purlOfImage(`${'a:'.repeat(50_000)}/`)).toBeUndefined();
});
