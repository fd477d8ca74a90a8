import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { type Answer, foreignIssuer, githubCaller, jobClaims, runIssuer, sendTo, tokenRows } from './running-issuer.ts';
import { quietPort } from './running-server.ts';

const COLOPHON = fileURLToPath(new URL('../../cli/bin/colophon.js', import.meta.url));
const COPIES = 1_000;

/** A process of its own that serves a configuration; fulfilled once it does. */
async function serve(file: string) {
  const serving = spawn(process.execPath, [COLOPHON, 'serve', '--config', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, COLOPHON_HOME: `${file}.home` },
  });
  onTestFinished(() => void serving.kill('SIGKILL'));
  const closed = once(serving, 'close');
  let said = '';
  await new Promise<void>((resolve, reject) => {
    serving.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('"msg":"serving"')) resolve();
    });
    void closed.then(() => reject(new Error(said)));
  });
  return {
    async kill() {
      serving.kill('SIGKILL');
      await closed;
    },
  };
}

async function configured() {
  const forge = await foreignIssuer(onTestFinished);
  const folder = temporaryFolder(onTestFinished);
  const port = await quietPort();
  const url = `http://localhost:${port}`;
  const file = join(folder, 'colophon.yaml');
  const dataDir = join(folder, 'data');
  writeFileSync(
    file,
    JSON.stringify({
      issuer: url,
      listen: { address: 'localhost', port },
      data: dataDir,
      tokens: { algorithm: 'ES256' },
      limits: { requestsPerSecond: 100_000, burst: 1_000_000 },
      callers: [githubCaller(forge.url, url)],
      agents: [{ name: SIX_FIELDS.agent_name }],
    }),
  );
  const bearer = forge.sign(jobClaims(url));
  const headers = [
    ['content-type', 'application/json'],
    ['authorization', `Bearer ${bearer}`],
  ] as const;
  const copies = (count: number) =>
    Array.from({ length: count }, () => sendTo(port, { headers, body: JSON.stringify(SIX_FIELDS) }));
  return { file, dataDir, copies };
}

const tokensIn = (answers: readonly Answer[]) => answers.filter(({ claims }) => claims !== undefined);

test.each([
  ['after the first answer', (asked: readonly Promise<Answer>[]) => Promise.race(asked)],
  ['in the middle', () => pause(Math.random() * 80)],
])(
  'a token that counts once, shown 1,000 times over a kill -9 %s, gets one row and at most one answer',
  {
    timeout: 60_000,
  },
  async (_when, moment) => {
    const { file, dataDir, copies } = await configured();
    const first = await serve(file);
    const before = copies(COPIES / 2);
    await moment(before);
    await first.kill();
    const second = await serve(file);
    const answers = [...(await Promise.all(before)), ...(await Promise.all(copies(COPIES / 2)))];
    expect(tokensIn(answers).length).toBeLessThanOrEqual(1);
    expect(tokenRows(dataDir)).toHaveLength(1);
    // Whoever was not cut off was told why.
    const others = new Set(answers.filter(({ status, claims }) => status !== 0 && !claims).map(({ code }) => code));
    expect([...others]).toEqual(['caller.token_used']);
    expect((await copies(1)[0]!).code).toBe('caller.token_used');
    await second.kill();
  },
);

describe('a token that counts once', () => {
  it('is one token in every spelling, and with another signature over the same words', async () => {
    const forge = await foreignIssuer(onTestFinished);
    const issuer = await runIssuer(onTestFinished, (url) => ({ callers: [githubCaller(forge.url, url)] }));
    const claims = jobClaims(issuer.url);
    expect((await issuer.ask({ bearer: forge.sign(claims) })).status).toBe(200);
    // Its issuer signs anew, with another header, other times, another order: the identifier is the token's name.
    const again = [
      forge.sign(claims),
      forge.sign(claims, { typ: 'at+jwt' }),
      forge.sign({ ...claims, exp: Number(claims['exp']) + 60 }),
      forge.sign(Object.fromEntries(Object.entries(claims).reverse())),
    ];
    for (const bearer of again) {
      expect((await issuer.ask({ bearer })).code).toBe('caller.token_used');
      expect((await issuer.exchange({ subject_token: bearer })).code).toBe('caller.token_used');
    }
    expect(issuer.tokens()).toHaveLength(1);
  });

  it('is not used up by a request that is refused', async () => {
    const forge = await foreignIssuer(onTestFinished);
    const issuer = await runIssuer(onTestFinished, (url) => ({ callers: [githubCaller(forge.url, url)] }));
    const bearer = forge.sign(jobClaims(issuer.url));
    expect((await issuer.ask({ bearer, body: { ...SIX_FIELDS, repo: 'evil/shop' } })).status).toBe(400);
    expect((await issuer.ask({ bearer, body: { ...SIX_FIELDS, agent_name: 'other' } })).status).toBe(403);
    expect((await issuer.ask({ bearer })).status).toBe(200);
    expect((await issuer.ask({ bearer })).code).toBe('caller.token_used');
  });

  it('without an identifier is told by what is signed', async () => {
    const forge = await foreignIssuer(onTestFinished);
    const issuer = await runIssuer(onTestFinished, (url) => ({ callers: [githubCaller(forge.url, url)] }));
    const bearer = forge.sign(jobClaims(issuer.url, { jti: undefined }));
    const answers = await Promise.all([issuer.ask({ bearer }), issuer.exchange({ subject_token: bearer })]);
    expect(tokensIn(answers)).toHaveLength(1);
    expect(issuer.tokens()).toHaveLength(1);
    expect(JSON.parse(issuer.tokens()[0]!.authorization!).credential).toMatchObject({
      kind: 'token',
      token_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});

test('a token that is reused by design leaves its name in every row', async () => {
  const forge = await foreignIssuer(onTestFinished);
  const issuer = await runIssuer(onTestFinished, (url) => ({
    callers: [githubCaller(forge.url, url, { oidc: { singleUse: false } })],
  }));
  const claims = jobClaims(issuer.url);
  const bearer = forge.sign(claims);
  for (let i = 0; i < 3; i += 1) expect((await issuer.ask({ bearer })).status).toBe(200);
  const names = issuer.tokens().map(({ authorization }) => JSON.parse(authorization!).credential);
  expect(names).toEqual(Array(3).fill({ kind: 'token', issuer: forge.url, jti: claims['jti'] }));
});
