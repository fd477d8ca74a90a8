import { describe, expect, test } from 'vitest';
import { readersVariable } from './readers-variable.ts';

const NAME = 'npm_config_registry';
const CAPITALS = 'NPM_CONFIG_REGISTRY';
const [OWN, OTHER, THIRD] = ['https://npm.acme.example/npm', 'https://npm.evil.example/', 'https://npm.third.example/'];
const BY_NPM = ['npm_execpath', 'npm_command', 'npm_lifecycle_event', 'npm_config_user_agent'];

test('a shell’s variable counts, and the one in small letters first', () => {
  expect(readersVariable({}, NAME, OWN)).toBeUndefined();
  expect(readersVariable({ [NAME]: '', [CAPITALS]: '' }, NAME, OWN)).toBeUndefined();
  expect(readersVariable({ [NAME]: OTHER }, NAME, OWN)).toBe(OTHER);
  expect(readersVariable({ [CAPITALS]: OTHER }, NAME, OWN)).toBe(OTHER);
  expect(readersVariable({ [NAME]: OTHER, [CAPITALS]: THIRD, npm_command: '' }, NAME, OWN)).toBe(OTHER);
});

describe.each(BY_NPM)('where %s says that npm started this program', (started) => {
  const read = (env: Record<string, string>, own = OWN) => readersVariable({ [started]: 'x', ...env }, NAME, own);

  test('one that may be the project’s is refused, with what is to be done', () => {
    for (const value of [OTHER, `${OWN}/`, `${OWN}2`, './npmrc']) {
      expect(() => read({ [NAME]: value })).toThrow(
        expect.objectContaining({
          code: 'feeds.registry_unclear',
          message: `npm started this program, and ${NAME} may be the project's`,
          facts: {
            checked: NAME,
            expected: `${CAPITALS}, the same value in the user's .npmrc, or a start without npm and npx`,
          },
        }),
      );
    }
    expect(() => read({ [NAME]: OTHER }, '/me/.npmrc')).toThrow();
    expect(() => read({ [NAME]: '/tree/.npmrc' }, OWN)).toThrow();
  });

  test('what the reader has anyway counts, however npm writes it', () => {
    expect(read({ [NAME]: OWN })).toBe(OWN);
    expect(read({ [NAME]: 'https://npm.acme.example/' }, 'HTTPS://NPM.acme.example')).toBe('https://npm.acme.example/');
    expect(read({ [NAME]: '/me/.npmrc' }, '/me/.npmrc')).toBe('/me/.npmrc');
    expect(read({ [NAME]: OWN, [CAPITALS]: THIRD })).toBe(THIRD);
  });

  test('what stands in capitals counts', () => {
    expect(read({ [NAME]: OTHER, [CAPITALS]: THIRD })).toBe(THIRD);
    expect(read({ [CAPITALS]: THIRD })).toBe(THIRD);
    expect(read({})).toBeUndefined();
  });
});
