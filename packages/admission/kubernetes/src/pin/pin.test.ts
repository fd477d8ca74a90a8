import { describe, expect, it, test } from 'vitest';
import { imagePatch } from './image-patch.ts';
import { imageOfDigest, isPinned, pinnedImage } from './pinned-image.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;

test('an image is pinned where its reference has a digest, and what is no reference is not', () => {
  const images = ['nginx:1', `nginx@${OTHER}`, `nginx:1@${OTHER}`, 'nginx@sha256:b', '@', ' ', ''];
  expect(images.map(isPinned)).toEqual([false, true, true, false, false, false, false]);
});

describe('pinnedImage', () => {
  it.each([
    'nginx',
    'nginx:1.27',
    'acme/web',
    'registry.example:5000/acme/web:1',
    'localhost/web',
    'index.docker.io/library/nginx',
  ])('adds the digest to %s and changes nothing else', (image) => {
    expect(pinnedImage(image, DIGEST)).toBe(`${image}@${DIGEST}`);
  });

  it.each([`nginx@${OTHER}`, `registry.example/acme/web:1@${OTHER}`])('leaves %s as it is', (image) => {
    expect(pinnedImage(image, DIGEST)).toBe(image);
  });

  it.each([
    ['', DIGEST],
    [' nginx', DIGEST],
    ['nginx@sha256:1', DIGEST],
    ['Nginx', DIGEST],
  ])('refuses %j, which is no reference', (image, digest) => {
    expect(() => pinnedImage(image, digest)).toThrow(new TypeError('an image that was judged has a reference'));
  });

  it.each(['', 'latest', 'a'.repeat(64), `sha512:${'a'.repeat(128)}`, DIGEST.toUpperCase(), `${DIGEST}\n`])(
    'refuses the digest %j',
    (digest) => {
      expect(() => pinnedImage('nginx', digest)).toThrow(
        new TypeError('an image is pinned by sha256: and 64 lower-case hex digits'),
      );
    },
  );
});

describe('imageOfDigest', () => {
  it.each([
    ['nginx', `nginx@${DIGEST}`],
    ['registry.example:5000/acme/web:1', `registry.example:5000/acme/web:1@${DIGEST}`],
    [`nginx@${OTHER}`, `nginx@${DIGEST}`],
    [`registry.example:5000/acme/web:1@${OTHER}`, `registry.example:5000/acme/web:1@${DIGEST}`],
    [`nginx@${DIGEST}`, `nginx@${DIGEST}`],
  ])('has the name of %s, and the digest in place of its own', (image, named) => {
    expect(imageOfDigest(image, DIGEST)).toBe(named);
  });

  it.each([
    ['nginx@sha256:1', DIGEST],
    ['Nginx', DIGEST],
    [`nginx@${OTHER}`, 'latest'],
  ])('refuses %j by %j', (image, digest) => {
    expect(() => imageOfDigest(image, digest)).toThrow(TypeError);
  });
});

describe('imagePatch', () => {
  it('tests each image before it replaces it, and leaves out what is pinned', () => {
    const places = [
      { pointer: '/spec/containers/0/image', image: 'nginx:1' },
      { pointer: '/spec/containers/1/image', image: `log@${OTHER}` },
      { pointer: '/spec/volumes/0/image/reference', image: 'data' },
    ];
    expect(imagePatch(places.map((place) => ({ place, digest: DIGEST })))).toEqual([
      { op: 'test', path: '/spec/containers/0/image', value: 'nginx:1' },
      { op: 'replace', path: '/spec/containers/0/image', value: `nginx:1@${DIGEST}` },
      { op: 'test', path: '/spec/volumes/0/image/reference', value: 'data' },
      { op: 'replace', path: '/spec/volumes/0/image/reference', value: `data@${DIGEST}` },
    ]);
    expect(imagePatch([])).toEqual([]);
  });

  it('refuses a place without an image', () => {
    expect(() => imagePatch([{ place: { pointer: '/a' }, digest: DIGEST }])).toThrow(
      new TypeError('no image stands at /a'),
    );
  });
});
