import { freePort } from '@colophon/testkit';
import { describe, expect, test } from 'vitest';
import { asking, BIN, found, MESSAGE, runScene, startProgram } from './agent-run.ts';

// The command of a run has nothing by which it could go round an isolated witness.

const ENVIRONMENT = [process.execPath, '-e', 'process.stdout.write(JSON.stringify(process.env))'];

/** A run before a witness of its own, as `colophon witness serve` is started. */
async function isolatedScene() {
  const scene = await runScene();
  const [listen, control] = [await freePort(), await freePort()];
  const secret = scene.file('ci.secret', 's'.repeat(40));
  scene.file('openai.key', 'sk-of-the-witness');
  const configuration = scene.file(
    'witness.yaml',
    `listen: { address: 127.0.0.1, port: ${listen} }
control: { address: 127.0.0.1, port: ${control} }
key: file:witness.pem
data: witness
issuer: https://agents.example.com
agent: { elsewhere: true }
upstreams: { openai: { address: "${scene.provider.url}/v1", credential: "file:openai.key" } }
callers: [{ name: ci, secret: "file:ci.secret" }]
`,
  );
  const witness = startProgram(process.execPath, [BIN, 'witness', 'serve', '--config', configuration]);
  await found(() => /witness serving/.test(witness.stdout().toString() + witness.stderr()));
  const flags = ['--witness', `http://127.0.0.1:${control}`, '--witness-credential', secret];
  return {
    ...scene,
    /** Runs a command with these variables beside the usual ones. */
    run: (command: readonly string[], env: NodeJS.ProcessEnv = {}, more: readonly string[] = []) =>
      scene.run([...flags, ...more], command, { env }),
  };
}

const LEAKS =
  `CIRCLE_OIDC_TOKEN CIRCLE_OIDC_TOKEN_V2 BITBUCKET_STEP_OIDC_TOKEN SYSTEM_ACCESSTOKEN CI_JOB_TOKEN CI_JOB_JWT_V2
  BUILDKITE_AGENT_ACCESS_TOKEN AWS_WEB_IDENTITY_TOKEN_FILE GITHUB_TOKEN GH_TOKEN GEMINI_API_KEY GOOGLE_API_KEY
  OPENROUTER_API_KEY MISTRAL_API_KEY GROQ_API_KEY AWS_BEARER_TOKEN_BEDROCK AWS_SECRET_ACCESS_KEY ANTHROPIC_FOUNDRY_API_KEY
  AZURE_API_KEY COSIGN_PRIVATE_KEY COLOPHON_WITNESS_CREDENTIAL SSH_AUTH_SOCK GIT_ASKPASS GIT_CONFIG_VALUE_0 NPM_TOKEN
  GITHUB_ENV ANTHROPIC_BASE_URL nobody_thought_of_it ANTHROPIC_API_KEY https_token`.split(/\s+/);

describe('with an isolated witness a command', () => {
  test('has of its caller what agents need, and nothing that no list names', async () => {
    const { run, provider } = await isolatedScene();
    const needed = {
      ...{
        LANG: 'de_DE.UTF-8',
        LC_ALL: 'C.UTF-8',
        TERM: 'dumb',
        TZ: 'UTC',
        TMPDIR: '/tmp',
        CI: 'true',
        SHELL: '/bin/sh',
      },
      ...{ XDG_CACHE_HOME: '/tmp/cache', NODE_OPTIONS: '--max-old-space-size=4096', SSL_CERT_DIR: '/etc/ssl/certs' },
      ...{ HTTPS_PROXY: 'http://proxy.example:3128', http_proxy: 'proxy.example:3128', GIT_AUTHOR_NAME: 'Agent' },
      ...{
        ANTHROPIC_MODEL: 'opus[1m]',
        OPENAI_MODEL: 'gpt-5',
        CLAUDE_CONFIG_DIR: '/tmp/claude',
        CODEX_HOME: '/tmp/codex',
      },
    };
    const secrets = Object.fromEntries(LEAKS.map((name) => [name, 'http://LEAK']));
    const ran = await run(ENVIRONMENT, { ...needed, ...secrets });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).not.toContain('LEAK');
    const env = JSON.parse(ran.stdout);
    expect(env).toMatchObject(needed);
    expect(env).toMatchObject({ PATH: process.env['PATH'], HOME: expect.anything() });
    expect(env.OPENAI_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/.*\/openai\/v1$/);
    expect(provider.requests).toEqual([]);
  });

  test.each([
    ['HTTPS_PROXY', 'http://user:LEAK@proxy.example:3128'],
    ['https_proxy', 'LEAK@proxy.example:3128'],
    ['ALL_PROXY', 'socks5h://LEAK@proxy.example'],
    ['GOPROXY', 'https://proxy.example,https://user:LEAK@goproxy.example'],
  ])('has no %s with a login in it', async (name, value) => {
    const { run } = await isolatedScene();
    const ran = await run(['sh', '-c', 'env'], { [name]: value });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).not.toContain('LEAK');
    expect(ran.stderr).toContain(name);
    expect(ran.stderr).not.toContain('LEAK');
  });

  test('is told what it was not given by name, on short lines, and how to give it', async () => {
    const { run } = await isolatedScene();
    const secrets = Object.fromEntries(LEAKS.map((name) => [name, 'LEAK']));
    const odd = { 'A\u001b[31m': 'LEAK', [`A${'_'.repeat(200)}`]: 'LEAK' };
    const ran = await run(['true'], { ...secrets, ...odd, COLOPHON_ISSUER: 'https://a.example' });
    const lines = ran.stderr.slice(0, ran.stderr.indexOf('colophon: run ')).split('\n');
    expect(lines[0]).toMatch(/^colophon: not given to the command: A\\u\{1b\}\[31m, ANTHROPIC_API_KEY,$/);
    expect(lines.at(-3)).toMatch(/^ {2}… and \d+ more$/);
    expect(lines.at(-2)).toBe('colophon: to give it one: colophon run … -- env NAME="$NAME" COMMAND');
    expect([lines.length, lines.filter((line) => line.length > 80)]).toEqual([7, []]);
    expect(ran.stderr).not.toMatch(/LEAK|COLOPHON/);
    expect(ran.stderr).not.toContain('\u001b');
    expect(ran.stderr).toMatch(/ A_{38}…,/);
    const quiet = await run(['true'], secrets, ['--quiet']);
    expect([quiet.exitCode, quiet.stderr]).toEqual([0, '']);
  });

  test('is given more by its own line, and is not told of anything where nothing is missing', async () => {
    const { run, env } = await isolatedScene();
    const given = await run(['env', 'GH_TOKEN=mine', ...ENVIRONMENT], { GH_TOKEN: 'LEAK', OPENAI_API_KEY: 'LEAK' });
    expect(JSON.parse(given.stdout)).toMatchObject({ GH_TOKEN: 'mine', OPENAI_API_KEY: 'added-by-the-witness' });
    const without = Object.fromEntries(Object.keys(env).map((name) => [name, undefined]));
    const bare = await run(asking({ ...MESSAGE, api: 'openai', path: '/chat/completions' }), {
      ...without,
      ...{ PATH: env['PATH'], HOME: env['HOME'] },
    });
    expect(bare.stderr).toMatch(/^colophon: run /);
  });
});

test('without an isolated witness a command has the environment of its caller', async () => {
  const { run } = await runScene();
  const secrets = Object.fromEntries(LEAKS.filter((name) => !name.endsWith('BASE_URL')).map((name) => [name, 'LEAK']));
  const ran = await run([], ENVIRONMENT, { env: secrets });
  expect(JSON.parse(ran.stdout)).toMatchObject(secrets);
  expect(ran.stderr).not.toContain('not given');
});
