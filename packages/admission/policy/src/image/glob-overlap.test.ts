import { parseImageReference } from '@colophon/notation';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globsOverlap } from './glob-overlap.ts';
import { compileImageGlob, type ImageGlob } from './image-glob.ts';

const glob = (text: string) => compileImageGlob(text) as ImageGlob;

test.each([
  ['ghcr.io/acme/**', 'ghcr.io/**', true],
  ['ghcr.io/acme/**', 'ghcr.io/acme/app', true],
  ['ghcr.io/acme/**', 'ghcr.io/other/**', false],
  ['ghcr.io/acme/*', 'ghcr.io/acme/a/b', false],
  ['ghcr.io/*/app', 'ghcr.io/acme/*', true],
  ['ghcr.io/a*c', 'ghcr.io/ab*', true],
  ['ghcr.io/a*c', 'ghcr.io/ab', false],
  ['ghcr.io/acme/**/app', 'ghcr.io/acme/app', true],
  ['ghcr.io/acme/**/app', 'ghcr.io/*/app', true],
  ['ghcr.io/acme/**/app', 'ghcr.io/acme/x/y/app', true],
  ['nginx', 'docker.io/library/*', true],
  ['**', 'ghcr.io/acme/app', true],
  ['ghcr.io/acme/app:v*', 'ghcr.io/acme/app', true],
  ['ghcr.io/acme/app:v*', 'ghcr.io/acme/app:w*', false],
  ['ghcr.io/acme/app:v*', 'ghcr.io/acme/app:*1', true],
  ['ghcr.io/acme/app:v1', `ghcr.io/acme/app@sha256:${'a'.repeat(64)}`, true],
  [`ghcr.io/acme/app@sha256:${'b'.repeat(64)}`, `ghcr.io/acme/app@sha256:${'a'.repeat(64)}`, false],
  ['localhost:7080/**', 'localhost:7081/**', false],
])('%s and %s: %s', (one, other, expected) => {
  expect(globsOverlap(glob(one), glob(other))).toBe(expected);
  expect(globsOverlap(glob(other), glob(one))).toBe(expected);
});

test('no image is covered by two globs that do not overlap', () => {
  const part = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', '**');
  const path = fc.array(part, { minLength: 1, maxLength: 3 });
  const starred = fc.constantFrom('', '', ':a', ':a*', ':*b');
  const text = fc.tuple(path, starred).map(([parts, ending]) => `ghcr.io/${parts.join('/')}${ending}`);
  const name = fc.array(fc.constantFrom('a', 'b', 'ab', 'bb'), { minLength: 1, maxLength: 4 });
  const tag = fc.constantFrom('', ':a', ':ab', ':b');
  fc.assert(
    fc.property(text, text, name, tag, (one, other, parts, ending) => {
      const image = parseImageReference(`ghcr.io/${parts.join('/')}${ending}`)!;
      const [a, b] = [glob(one), glob(other)];
      if (a.covers(image) && b.covers(image)) expect(globsOverlap(a, b)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('globs of the longest size are compared in five seconds of CPU', () => {
  const stars = `ghcr.io/${'a*'.repeat(250)}`;
  const before = process.cpuUsage();
  expect(globsOverlap(glob(`${stars}b`), glob(`${stars}c`))).toBe(false);
  expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
});
