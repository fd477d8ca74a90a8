import { describe, expect, it } from 'vitest';
import { passedHeaders } from './passed-headers.ts';

it('keeps order, spelling and duplicates', () => {
  const raw = ['X-B', '1', 'x-a', ' 2', 'Set-Cookie', 'a=1', 'SET-COOKIE', 'b=2', 'X-B', '', 'Content-Length', '3'];
  expect(passedHeaders(raw)).toEqual(raw);
});

it('leaves out what is of one connection, and what that names (RFC 9110 §7.6.1)', () => {
  const raw = ['Host', 'a', 'Connection', 'close, X-Hop', 'x-hop', '1', 'connection', 'Keep-Alive', 'Keep-Alive', '5'];
  const more = ['Transfer-Encoding', 'chunked', 'TE', 'trailers', 'Upgrade', 'h2c', 'Expect', '100-continue'];
  expect(passedHeaders([...raw, ...more, 'X-End', '2'])).toEqual(['X-End', '2']);
});

it('leaves out a name without a value', () => {
  expect(passedHeaders(['X-A', '1', 'X-B'])).toEqual(['X-A', '1']);
});

it('passes on what no more than another header names', () => {
  const raw = ['X-A', 'x-b, close', 'X-B', '1', 'Vary', 'Accept', 'Accept', '*/*'];
  expect(passedHeaders(raw)).toEqual(raw);
});

it.each(['Content-Length', 'Content-Encoding', 'Content-Type'])(
  'passes %s on although the connection names it: the body would be another one',
  (name) => {
    expect(passedHeaders(['Connection', name, name, 'x'])).toEqual([name, 'x']);
  },
);

describe('a credential of the witness', () => {
  const credential = { header: 'X-Api-Key', value: 'of-the-witness' };

  it.each([
    'Authorization',
    'x-api-key',
    'X_API_KEY',
    'Api-Key',
    'apikey',
    'x-goog-api-key',
    'Cookie',
    'x-auth-token',
    'x-amz-security-token',
    'Ocp-Apim-Subscription-Key',
    'cf-aig-authorization',
    'Helicone-Auth',
    'X-Client-Secret',
    'Proxy-Authorization',
    // Names by which gateways choose another key, account, model or server, and one that nobody knows.
    ...['x-portkey-config', 'Helicone-Target-URL', 'x-upstream', 'x-llm-provider', 'x-model', 'x-litellm-tags'],
    ...['x-route', 'x-goog-user-project', 'chatgpt-account-id', 'x-gateway-of-tomorrow', 'X-HTTP-Method-Override'],
  ])('stands in place of %s', (name) => {
    expect(passedHeaders(['Accept', '1', name, 'canary', 'user-agent', '2'], credential)).toEqual([
      ...['Accept', '1', 'user-agent', '2'],
      ...['X-Api-Key', 'of-the-witness'],
    ]);
  });

  it('stands in place of its own header, whatever that is called', () => {
    const own = { header: 'X-Gateway', value: 'of-the-witness' };
    expect(passedHeaders(['x-GATEWAY', 'canary', 'X-Gateway', 'canary'], own)).toEqual(['X-Gateway', 'of-the-witness']);
  });

  it('stands in place of its own header also where that is one of a client', () => {
    const own = { header: 'X-App', value: 'of-the-witness' };
    expect(passedHeaders(['x-app', 'canary', 'Accept', '1'], own)).toEqual(['Accept', '1', 'X-App', 'of-the-witness']);
  });

  it('is not taken away by a connection that names it', () => {
    expect(passedHeaders(['Connection', 'x-api-key'], credential)).toEqual(['X-Api-Key', 'of-the-witness']);
  });

  it.each([
    ...['anthropic-version', 'anthropic-beta', 'openai-organization', 'Idempotency-Key', 'Accept', 'Content-Encoding'],
    ...['X-Stainless-Retry-Count', 'x-claude-code-session-id', 'session_id', 'x-codex-turn-metadata', 'traceparent'],
  ])('leaves %s as it is', (name) => {
    expect(passedHeaders([name, '1'], credential)).toEqual([name, '1', 'X-Api-Key', 'of-the-witness']);
  });
});

it('without a credential of the witness that of the agent passes', () => {
  expect(passedHeaders(['Authorization', 'Bearer a', 'Cookie', 'b'])).toEqual([
    'Authorization',
    'Bearer a',
    'Cookie',
    'b',
  ]);
});
