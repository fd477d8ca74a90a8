import { parseImageReference } from '@colophon/notation';
import { describe, expect, it, test } from 'vitest';
import { compileImageGlob } from '../image/image-glob.ts';
import { imagePatterns } from './image-patterns.ts';

const patternsOf = (text: string) => imagePatterns(compileImageGlob(text)!);

/** As policy-controller compares: two globs mean something else by themselves, and the whole name has to match. */
function covers(glob: string, name: string): boolean {
  const whole = { '*/*': 'index.docker.io/*/*', '*': 'index.docker.io/library/*' }[glob] ?? glob;
  const pattern = whole.replaceAll('.', '\\.').replaceAll('**', '#').replaceAll('*', '[^/]*').replaceAll('#', '.*');
  return new RegExp(`^${pattern}$`).test(name);
}

const DIGEST = `sha256:${'a'.repeat(64)}`;
const NAMES = [
  'ghcr.io/acme/app',
  'ghcr.io/acme/app/web',
  'ghcr.io/acme/x/app',
  'ghcr.io/acme/application',
  'ghcr.io/other/app',
  'ghcr.io:443/acme/app',
  'ghcrx.io/acme/app',
  'localhost:5000/app',
  '127.0.0.1:5000/app',
  'index.docker.io/library/nginx',
  'registry-1.docker.io/library/nginx',
  'index.docker.io/acme/app',
  'a.example/app',
];
const GLOBS = [
  '**',
  '*',
  '*/*',
  '*/*/app',
  '**/app',
  'nginx',
  'nginx*',
  'acme/app',
  'docker.io/**',
  'ghcr.io/**',
  'ghcr.io/acme/*',
  'ghcr.io/acme/app',
  'ghcr.io/acme/**/app',
  'ghcr.io/**/acme/**/app',
  'ghcr.io/acme/app*',
  'localhost:5000/**',
  '127.0.0.1:5000/app',
  'ghcr.io/acme/app:v*',
  `ghcr.io/acme/app@${DIGEST}`,
];

describe.each(GLOBS)('the glob %s', (glob) => {
  it.each(NAMES.flatMap((name) => [`${name}:v1`, `${name}:latest`, `${name}@${DIGEST}`]))(
    'covers %s or not',
    (name) => {
      const isCovered = compileImageGlob(glob)!.covers(parseImageReference(name)!);
      expect(patternsOf(glob).some((pattern) => covers(pattern, name))).toBe(isCovered);
    },
  );
});

test('an IPv6 address is left out, which policy-controller takes for no glob', () => {
  expect(patternsOf('localhost/app').join(' ')).not.toContain('[');
});

test('parts that may be nothing are written out up to a number', () => {
  const many = patternsOf(`ghcr.io/${'**/x/'.repeat(20)}app`);
  expect(many.length).toBeLessThanOrEqual(2 * 2 * 2 ** 4);
});
