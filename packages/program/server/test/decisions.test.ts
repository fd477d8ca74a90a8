import { storeDecisions } from '@colophon/evidence/client';
import { expect, onTestFinished, test } from 'vitest';
import { decided, logOf } from '../../../admission/evidence/test/decided.ts';
import { AGENT, foreignIssuer, githubCaller, jobClaims, runIssuer } from './running-issuer.ts';
import { type RunningServe, runServe } from './running-serve.ts';
import { json, runServer } from './running-server.ts';

const ROLES = 'roles: [issuer, authority, evidence]\n';
const CALLERS = `callers:
  - { name: webhook, apiKey: true, may: { agents: [], decisions: true } }
  - { name: builder, apiKey: true, may: { agents: [code-fixer] } }
`;

const send = (base: string, headers: Record<string, string> = {}, records = [decided()]) =>
  fetch(`${base}/decisions`, {
    method: 'POST',
    body: new Uint8Array(logOf(records)),
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });

async function answerOf(answer: Promise<Response>): Promise<[number, string | undefined]> {
  const got = await answer;
  return [got.status, (await json(got)).code];
}

async function kept(base: string): Promise<number> {
  return (await json(await fetch(`${base}/query?q=decisions`))).rows.length;
}

test('a server of this machine that asks nobody takes decisions of its programs, as all that it takes', async () => {
  const { url } = await runServer(onTestFinished);
  expect(await answerOf(send(url))).toEqual([201, undefined]);
  expect(await answerOf(send(url, { origin: 'https://elsewhere.example' }))).toEqual([403, 'server.origin_refused']);
  expect(await kept(url)).toBe(1);
});

test('where callers are asked, only one with the right sends decisions, until it loses it', async () => {
  const server: RunningServe = await runServe(onTestFinished, { text: ROLES + CALLERS });
  const { base, configure } = server;
  const [webhook, builder] = [await server.key('webhook'), await server.key('builder')];
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  expect(await answerOf(send(base))).toEqual([401, 'caller.credential_missing']);
  expect(await answerOf(send(base, bearer(`${webhook}x`)))).toEqual([401, 'caller.api_key_malformed']);
  expect(await answerOf(send(base, { authorization: 'Basic eDp5' }))).toEqual([401, 'caller.scheme_unsupported']);
  expect(await answerOf(send(base, bearer(builder)))).toEqual([403, 'caller.decisions_not_allowed']);
  expect(await kept(base)).toBe(0);
  expect(await answerOf(send(base, bearer(webhook)))).toEqual([201, undefined]);
  expect(await kept(base)).toBe(1);
  // A right to send decisions is none to speak for an agent.
  expect((await server.mint(webhook)).status).toBe(403);
  configure(ROLES + CALLERS.replace(', decisions: true', ''));
  await expect.poll(() => answerOf(send(base, bearer(webhook)))).toEqual([403, 'caller.decisions_not_allowed']);
});

test('the client sends as many requests as the decisions need, and says why it may not', async () => {
  const server = await runServe(onTestFinished, { text: ROLES + CALLERS });
  const credential = await server.key('webhook');
  const records = Array.from({ length: 1500 }, () => decided());
  expect(await storeDecisions(server.base, records, { credential })).toEqual({ stored: 1500, known: 0 });
  expect(await storeDecisions(server.base, records.slice(1), { credential })).toEqual({ stored: 0, known: 1499 });
  await expect(storeDecisions(server.base, records)).rejects.toMatchObject({
    code: 'caller.credential_missing',
    kind: 'unauthorized',
  });
  const other = await server.key('builder');
  await expect(storeDecisions(server.base, records, { credential: async () => other })).rejects.toMatchObject({
    code: 'caller.decisions_not_allowed',
    kind: 'unauthorized',
  });
});

test('a token that counts once sends decisions once, and is no token for anything else then', async () => {
  const forge = await foreignIssuer(onTestFinished);
  const issuer = await runIssuer(onTestFinished, (url) => ({
    roles: ['issuer', 'authority', 'evidence'],
    callers: [githubCaller(forge.url, url, { may: { agents: [AGENT], decisions: true } })],
  }));
  const bearer = () => forge.sign(jobClaims(issuer.url));
  const post = (token: string, body: string) =>
    issuer.send({
      path: '/decisions',
      headers: [
        ['content-type', 'application/x-ndjson'],
        ['authorization', `Bearer ${token}`],
      ],
      body,
    });
  const [token, minted] = [bearer(), bearer()];
  const log = () => logOf([decided()]).toString();
  expect(await post(token, '{}')).toMatchObject({ status: 400, code: 'evidence.decisions_malformed' });
  expect(await post(token, log())).toMatchObject({ status: 201 });
  expect(await post(token, log())).toMatchObject({ status: 401, code: 'caller.token_used' });
  expect(await issuer.ask({ bearer: token })).toMatchObject({ status: 401, code: 'caller.token_used' });
  expect(await issuer.ask({ bearer: minted })).toMatchObject({ status: 200 });
  expect(await post(minted, log())).toMatchObject({ status: 401, code: 'caller.token_used' });
  expect(await kept(issuer.url)).toBe(1);
});

test('two credentials are one too many', async () => {
  const issuer = await runIssuer(onTestFinished, () => ({
    roles: ['issuer', 'authority', 'evidence'],
    callers: [{ name: 'builder', apiKey: true, may: { agents: [], decisions: true } }],
  }));
  const authorization = ['authorization', `Bearer ${await issuer.createKey('builder')}`] as const;
  const headers = [['content-type', 'application/json'] as const, authorization, authorization];
  const answer = await issuer.send({ path: '/decisions', headers, body: JSON.stringify([decided()]) });
  expect(answer).toMatchObject({ status: 400, code: 'caller.several_credentials' });
});
