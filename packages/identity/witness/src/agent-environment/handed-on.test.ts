import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { isHandedOn } from './handed-on.ts';

test.each<[string, string, boolean]>([
  ['PATH', '/usr/bin:/bin', true],
  ['LC_ALL', 'C', true],
  ['LC_', 'C', false],
  ['LC_ALL_KEY', 'C', false],
  ['XLC_ALL', 'C', false],
  ['path', '/usr/bin', false],
  ['', '', false],
  ['HTTPS_PROXY', '', true],
  ['https_proxy', 'proxy.example:3128', true],
  ['https_proxy', 'user@proxy.example:3128', false],
  ['ALL_PROXY', 'http://user:password@proxy.example', false],
  ['NO_PROXY', 'http://a/@', true],
  ['NO_PROXY', 'http://u@a', false],
  ['GOPROXY', 'https://a.example/@v,direct', true],
  ['GOPROXY', 'https://a.example,https://token@b.example', false],
  ['GOPROXY', 'https://a.example/?token=1,direct', false],
  ['GOPROXY', 'https://a.example?token=1', false],
  ['GOPROXY', 'https://a.example/a#b?c', false],
  ['NIX_PATH', 'nixpkgs=https://a.example/b.tar.gz?private_token=1', false],
  ['NIX_PATH', 'a=/b?c:d=https://e.example/f', true],
  ['https_proxy', 'proxy.example:3128/?token=1', false],
  ['LESS', 'a? https://b.example c?', true],
  ['MAKEFLAGS', ' -- OPENAI_API_KEY=1', false],
  ['MAKEFLAGS', 'j2', false],
  ['EDITOR', 'vi a@b', true],
  ['npm_config_cache', '/tmp', true],
  ['npm_config__auth', 'x', false],
  ['XDG_RUNTIME_DIR', '/run/user/0', false],
  ['ANTHROPIC_MODEL', 'claude-opus-4-1', true],
  ['OPENAI_BASE_URL', 'https://a.example', false],
])('%s=%s is handed on: %s', (name, value, is) => {
  expect(isHandedOn(name, value)).toBe(is);
});

it('no name is handed on that says of itself that it is a key, a token or a login', () => {
  const word = fc.constantFrom(
    'KEY',
    'TOKEN',
    'SECRET',
    'PASSWORD',
    'CREDENTIALS',
    'AUTH',
    'COOKIE',
    'HEADERS',
    'BASE_URL',
  );
  const before = fc.constantFrom('', 'GITHUB', 'ANTHROPIC', 'CI', 'GIT', 'NODE', 'XDG', 'CLAUDE_CODE', 'MCP', 'LC');
  fc.assert(
    fc.property(before, word, fc.string(), (first, last, value) => {
      expect(isHandedOn([first, last].filter(Boolean).join('_'), value)).toBe(false);
    }),
  );
});

it('names that nobody knows are not handed on', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z][A-Z0-9_]{3,30}$/), fc.string(), (name, value) => {
      expect(isHandedOn(`${name}_X`, value)).toBe(false);
    }),
  );
});
