import { describe, expect, it } from 'vitest';
import { addressOf, agentEnvironment, withheldNames } from './agent-environment.ts';

const ANTHROPIC = 'http://127.0.0.1:4321/TOKEN/anthropic';
const OPENAI = 'http://127.0.0.1:4321/TOKEN/openai/v1';
const here = { baseUrls: { anthropic: ANTHROPIC, openai: OPENAI }, addsCredentials: false };
const there = { ...here, addsCredentials: true };

describe('the address of an API', () => {
  it.each([
    ['anthropic', {}, 'https://api.anthropic.com'],
    ['openai', {}, 'https://api.openai.com/v1'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'http://gw/a' }, 'http://gw/a'],
    ['openai', { OPENAI_API_BASE: 'http://gw/b' }, 'http://gw/b'],
    ['openai', { OPENAI_API_BASE: 'http://gw/b', OPENAI_BASE_URL: 'http://gw/c' }, 'http://gw/c'],
    ['openai', { OPENAI_API_BASE: 'http://gw/b', OPENAI_BASE_URL: '' }, 'http://gw/b'],
    ['anthropic', { ANTHROPIC_BASE_URL: '' }, 'https://api.anthropic.com'],
  ] as const)('of %s with %o is %s', (api, env, address) => {
    expect(addressOf(api, env)).toBe(address);
  });
});

describe('the environment of an agent', () => {
  it('is the user’s, with the base URLs of the witness', () => {
    const env = {
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: 'http://gw',
      NO_PROXY: 'a',
      no_proxy: 'a',
    };
    expect(agentEnvironment(env, here)).toEqual({
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_BASE_URL: ANTHROPIC,
      OPENAI_BASE_URL: OPENAI,
      OPENAI_API_BASE: OPENAI,
      NO_PROXY: 'a,127.0.0.1',
      no_proxy: 'a,127.0.0.1',
    });
  });

  it('keeps the address of an API that the witness has no upstream for', () => {
    const env = { OPENAI_BASE_URL: 'http://gw', OPENAI_API_KEY: 'key' };
    const changed = agentEnvironment(env, { ...here, baseUrls: { anthropic: ANTHROPIC } });
    expect(changed).toMatchObject({ ...env, ANTHROPIC_BASE_URL: ANTHROPIC });
    expect(changed).not.toHaveProperty('OPENAI_API_BASE');
  });

  it('has no credential where the witness adds them, and a placeholder for each API that it reaches', () => {
    const keys = { ANTHROPIC_API_KEY: 'secret', ANTHROPIC_AUTH_TOKEN: 'secret', OPENAI_API_KEY: 'secret' };
    const changed = agentEnvironment(keys, { baseUrls: { anthropic: ANTHROPIC }, addsCredentials: true });
    expect(JSON.stringify(changed)).not.toContain('secret');
    expect(changed['ANTHROPIC_API_KEY']).toMatch(/./);
    expect(changed).not.toHaveProperty('ANTHROPIC_AUTH_TOKEN');
    expect(changed).not.toHaveProperty('OPENAI_API_KEY');
  });

  it('has nothing that its caller shows who it is with, where the agent is another user', () => {
    const own = {
      ...{ COLOPHON_WITNESS_CREDENTIAL: 'w', COLOPHON_CALLER_CREDENTIAL: 'c', SIGSTORE_ID_TOKEN: 't' },
      ...{ COSIGN_PASSWORD: 'p', ACTIONS_RUNTIME_TOKEN: 'r', CLAUDE_CODE_OAUTH_TOKEN: 'o', CODEX_API_KEY: 'k' },
      ...{ AZURE_OPENAI_API_KEY: 'a', OPENAI_ADMIN_KEY: 'a', ANTHROPIC_CUSTOM_HEADERS: 'x-api-key: k' },
    };
    for (const name of Object.keys(own)) expect(agentEnvironment(own, there)).not.toHaveProperty(name);
    expect(agentEnvironment(own, here)).toMatchObject(own);
  });

  const asked = (env: NodeJS.ProcessEnv, isIpv6 = false) => {
    const baseUrls = isIpv6 ? { anthropic: 'http://[::1]:1/T/anthropic' } : here.baseUrls;
    const { NO_PROXY, no_proxy } = agentEnvironment(env, { ...here, baseUrls });
    return [NO_PROXY, no_proxy];
  };

  it.each([
    ['neither spelling', {}, ['127.0.0.1', '127.0.0.1']],
    ['capitals alone', { NO_PROXY: '.corp' }, ['.corp,127.0.0.1', undefined]],
    ['small letters alone', { no_proxy: '.corp' }, [undefined, '.corp,127.0.0.1']],
    ['both', { NO_PROXY: 'a', no_proxy: 'b' }, ['a,127.0.0.1', 'b,127.0.0.1']],
    ['both, one of them empty', { NO_PROXY: 'a', no_proxy: '' }, ['a,127.0.0.1', '127.0.0.1']],
    ['every host in both', { NO_PROXY: '*', no_proxy: '*' }, ['*', '*']],
    ['every host in one', { NO_PROXY: '*' }, ['*', undefined]],
  ] as const)('reaches the witness without a proxy, with %s', (_name, env, expected) => {
    expect(asked({ HTTP_PROXY: 'http://proxy:1', http_proxy: 'http://proxy:1', ...env })).toEqual(expected);
  });

  it('names a witness at an IPv6 address without brackets', () => {
    expect(asked({}, true)).toEqual(['::1', '::1']);
  });
});

describe('where the witness adds the credentials', () => {
  const setting = { baseUrls: { openai: OPENAI }, addsCredentials: true };
  const env = {
    ...{ Z_TOKEN: 'secret', PATH: '/bin', LANG: 'C', A_TOKEN: 'secret', NEVER_SET: undefined },
    ...{ OPENAI_API_KEY: 'secret', ANTHROPIC_BASE_URL: 'http://gw', NO_PROXY: 'http://u:secret@a' },
  };

  it('an agent gets what holds no credential, and what the witness says', () => {
    expect(agentEnvironment(env, setting)).toEqual({
      ...{ PATH: '/bin', LANG: 'C', NEVER_SET: undefined, OPENAI_API_KEY: 'added-by-the-witness' },
      ...{ OPENAI_BASE_URL: OPENAI, OPENAI_API_BASE: OPENAI, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
    });
  });

  it('the others are named in their order, without those that are not set, and those that it has otherwise', () => {
    expect(withheldNames(env, setting)).toEqual(['ANTHROPIC_BASE_URL', 'A_TOKEN', 'NO_PROXY', 'Z_TOKEN']);
    expect(withheldNames(env, { ...setting, addsCredentials: false })).toEqual([]);
  });
});
