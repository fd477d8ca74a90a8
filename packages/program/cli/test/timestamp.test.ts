import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt, deadUrl, startPeer } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let file: string;

beforeAll(async () => {
  here = await install(cleanup);
  file = here.file('report.txt', 'what the agent wrote\n');
});
/** Signs with a timestamp authority at an address; answers with the exit code, the error, and whether a bundle came about. */
async function signedWith(authority: string) {
  const bundle = join(here.folder, `${encodeURIComponent(authority)}.json`);
  const services = ['--fulcio-url', here.url, '--rekor-url', here.url, '--timestamp-server-url', authority];
  const { exitCode, code } = await here.refusal('sign-blob', ...services, '--bundle', bundle, ...CONTEXT, file);
  return { exitCode, code, hasBundle: existsSync(bundle) };
}

describe('a timestamp authority', () => {
  test('is sent a query of RFC 3161, wants no other answer than its own, and what it says instead is not believed', async () => {
    const authority = await startPeer(onTestFinished, (_request, response) => response.end('hello'));
    expect(await signedWith(`${authority.url}/tsr`)).toEqual({
      exitCode: 13,
      code: 'signing.timestamp_answer_invalid',
      hasBundle: false,
    });
    const [{ head, body }, ...others] = authority.requests as [(typeof authority.requests)[number]];
    expect(others).toEqual([]);
    expect([head.method, head.url]).toEqual(['POST', '/tsr']);
    expect(head.headers).toMatchObject({
      'content-type': 'application/timestamp-query',
      accept: 'application/timestamp-reply',
    });
    // SEQUENCE { INTEGER 1, …
    expect(body.slice(0, 1) + body.slice(2, 5)).toBe('0\u0002\u0001\u0001');
  });

  test('that is down ends the program with 3, and no bundle is left', async () => {
    expect(await signedWith(await deadUrl())).toEqual({
      exitCode: 3,
      code: 'signing.timestamp_unavailable',
      hasBundle: false,
    });
  });

  test('beside the signing config that is in force takes the place of its own', async () => {
    const line = ['sign-blob', '--bundle', join(here.folder, 'beside.json'), ...CONTEXT, file];
    const { exitCode, code } = await here.refusal(...line, '--timestamp-server-url', await deadUrl());
    expect([exitCode, code]).toEqual([3, 'signing.timestamp_unavailable']);
  });

  test('beside a signing config of the same line would say twice where to go', async () => {
    const config = join(here.dataDir, 'trust', 'signing_config.json');
    const line = ['sign-blob', '--signing-config', config, '--timestamp-server-url', await deadUrl(), ...CONTEXT, file];
    const { exitCode, code } = await here.refusal(...line);
    expect([exitCode, code]).toEqual([1, 'cli.usage']);
  });
});
