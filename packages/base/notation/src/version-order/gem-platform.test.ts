import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutGemPlatform } from './gem-platform.ts';

test.each([
  'x86_64-linux',
  'x86_64-linux-gnu',
  'x86_64-linux-musl',
  'aarch64-linux',
  'arm-linux-gnueabihf',
  'armv7-linux',
  'arm64-darwin',
  'arm64-darwin-22',
  'universal-darwin',
  'x86_64-darwin',
  'x86-linux',
  'i686-linux',
  'x64-mingw32',
  'x64-mingw-ucrt',
  'x86-mswin32-60',
  'mswin32',
  'mingw32',
  'java',
  'jruby',
  'ruby',
  'powerpc-darwin',
  'ppc64le-linux',
  's390x-linux',
  'riscv64-linux',
])('a gem for %s is the same version without it', (platform) => {
  expect(withoutGemPlatform(`1.16.2-${platform}`)).toBe('1.16.2');
  expect(withoutGemPlatform(`1.16.2.rc1-${platform}`)).toBe('1.16.2.rc1');
});

test.each([
  '1.16.2',
  '1.16.2-rc1',
  '1.0-x86',
  '1.0-x86_64',
  '1.0-javascript',
  '-java',
  '1.0-java-2',
  'java',
  '',
  '1.0-beta-java',
])('what is no platform stays: %j', (version) => {
  expect(withoutGemPlatform(version)).toBe(version);
});

test('what is taken away is behind a hyphen, and no text has two platforms', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const plain = withoutGemPlatform(text);
      expect(text === plain || text.startsWith(`${plain}-`)).toBe(true);
      expect(withoutGemPlatform(plain)).toBe(plain);
    }),
  );
});
