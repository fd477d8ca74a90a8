import { expect, test } from 'vitest';
import { executableFile } from '../executable/build-executable.ts';
import { broughtPlatforms } from './brought.ts';

const BUILT = ['linux-x64', 'win32-x64'] as const;

test('an executable of this version is taken for a platform that is not built here', () => {
  expect(broughtPlatforms([executableFile('darwin-arm64')], BUILT)).toEqual(['darwin-arm64']);
});

test.each([
  ['another version', ['elsewhere/colophon-0.0.1-darwin-arm64'], 'is not named as'],
  ['a platform that is built here', [executableFile('linux-x64')], 'linux-x64'],
  ['one platform twice', [executableFile('darwin-arm64'), executableFile('darwin-arm64')], 'darwin-arm64'],
])('an executable of %s is refused', (_what, files, message) => {
  expect(() => broughtPlatforms(files, BUILT)).toThrow(message);
});
