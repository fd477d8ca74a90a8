import { createHash, createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STATEMENT_TYPE } from '@colophon/records';
import { temporaryFolder } from '@colophon/testkit';
import { toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import {
  CLAIMS,
  emailName,
  FULCIO_URL,
  ISSUER,
  LocalSigstore,
  newKeys,
  REKOR_URL,
  TSA_URL,
  uriName,
} from '@colophon/testkit/local-sigstore/local-sigstore';
import { SIGNED_TEXTS } from '@colophon/testkit/local-sigstore/signed-texts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signingFailure as failure } from '../../test/signing-failure.ts';
import { createIdentityPolicy } from '../identity-policy/identity-policy.ts';
import { loadTrustedRoots } from '../trusted-root/load-trusted-root.ts';
import { verifyBundle } from '../verify/verify-bundle.ts';
import { type SignBlobOptions, signBlob, signStatement } from './sign.ts';

const ARTIFACT = Buffer.from('what the agent made');
const policy = createIdentityPolicy({ issuer: ISSUER, subject: 'agent:code-writer' });
const STATEMENT = {
  _type: STATEMENT_TYPE,
  subject: [{ name: 'a', digest: { sha256: createHash('sha256').update(ARTIFACT).digest('hex') } }],
  predicateType: 'https://colophon.example/predicates/agent-run/v1',
  predicate: { b: 1, a: [true, null] },
} as const;

function optionsFor(local: LocalSigstore, changes: Partial<SignBlobOptions> = {}): SignBlobOptions {
  return {
    artifact: ARTIFACT,
    fulcioUrl: FULCIO_URL,
    rekorUrl: REKOR_URL,
    identityToken: async () => local.token(),
    fetch: local.fetch,
    retries: 0,
    trust: local.trust,
    ...changes,
  };
}

const paths = (local: LocalSigstore) => local.requests.map(({ method, path }) => `${method} ${path}`);

/** A peer that answers one path in its own way. */
function withAnswer(path: string, answer: (local: LocalSigstore, body: string) => Response): LocalSigstore {
  const local = new LocalSigstore();
  const usual = local.answer.bind(local);
  local.answer = (method, url, body) => (url.pathname === path ? answer(local, body) : usual(method, url, body));
  return local;
}

/** A certificate without timestamp, as an authority without CT log answers. */
function issued(local: LocalSigstore, body: string) {
  const key = createPublicKey(JSON.parse(body).publicKeyRequest.publicKey.content);
  return { chain: { certificates: [toPem(local.issue(key, { sctBy: 'nobody' }))] }, signedCertificateTimestamp: '' };
}

describe('from an authority without CT log', () => {
  const withoutCtLog = () =>
    withAnswer('/api/v2/signingCert', (local, body) =>
      Response.json({ signedCertificateDetachedSct: issued(local, body) }),
    );

  it('a signature holds where the trusted root names none and the verifier says so', async () => {
    const local = withoutCtLog();
    const { ctlogs: _, ...timeless } = local.trustedRootJson();
    const trust = loadTrustedRoots([{ json: JSON.stringify(timeless), insecureIgnoreSct: true }]);
    const { bundle } = await signBlob(optionsFor(local, { trust }));
    verifyBundle({ bundle, artifact: ARTIFACT, trust, policy });
    await signBlob(optionsFor(local, { trust: undefined }));
  });

  it('nothing is logged where each trusted root demands a timestamp', async () => {
    const local = withoutCtLog();
    const error = await failure(signBlob(optionsFor(local)));
    expect([error.code, error.message]).toEqual([
      'signing.verification_failed',
      expect.stringContaining('sct.missing'),
    ]);
    expect(paths(local)).toEqual(['POST /api/v2/signingCert']);
  });
});

describe('a signed artifact', () => {
  it('is verified against the same authority and log', async () => {
    const local = new LocalSigstore();
    const { bundle, identity } = await signBlob(optionsFor(local));
    expect(identity.subject).toBe('agent:code-writer');
    const { signature } = verifyBundle({ bundle, artifact: ARTIFACT, trust: local.trust, policy });
    expect(signature.certificate_identity).toEqual(identity);
    expect(paths(local)).toEqual(['POST /api/v2/signingCert', 'POST /api/v1/log/entries']);
  });

  it('of a log of version 2 has its time from a timestamp authority', async () => {
    const local = new LocalSigstore();
    const { bundle } = await signBlob(optionsFor(local, { rekorMajorVersion: 2, tsaUrl: TSA_URL }));
    const { checks } = verifyBundle({ bundle, artifact: ARTIFACT, trust: local.trust, policy });
    expect(checks).toContainEqual({ check: 'timestamp', detail: '2026-11-21T10:00:00.000Z by timestamp-authority' });
    expect(paths(local)).toEqual(['POST /api/v2/signingCert', 'POST /api/v1/timestamp', 'POST /api/v2/log/entries']);
    await expect(signBlob(optionsFor(local, { rekorMajorVersion: 2 }))).rejects.toThrow(TypeError);
  });

  it('takes the origin of a timestamp authority for its usual address', async () => {
    const local = new LocalSigstore();
    await signBlob(optionsFor(local, { tsaUrl: 'http://localhost:7080/' }));
    expect(paths(local)).toContain('POST /api/v1/timestamp');
  });

  it('may be a file, and is no bare digest', async () => {
    const local = new LocalSigstore();
    const path = join(temporaryFolder(onTestFinished), 'artifact');
    const long = Buffer.alloc(3_000_000, 'x');
    writeFileSync(path, long);
    const file = await signBlob(optionsFor(local, { artifact: { path } }));
    verifyBundle({ bundle: file.bundle, artifact: long, trust: local.trust, policy });
    const digest = { sha256: 'a'.repeat(64) } as never;
    await expect(signBlob(optionsFor(local, { artifact: digest }))).rejects.toThrow(TypeError);
  });

  it.each(Object.entries(SIGNED_TEXTS))(
    'that is the %s of another signature is refused, held or in a file',
    async (_, text) => {
      const local = new LocalSigstore();
      const path = join(temporaryFolder(onTestFinished), 'artifact');
      writeFileSync(path, text);
      for (const artifact of [text, { path }]) {
        const refused = expect.objectContaining({ code: 'signing.artifact_other_kind' });
        await expect(signBlob(optionsFor(local, { artifact }))).rejects.toEqual(refused);
      }
      expect(local.log.size).toBe(0);
    },
  );

  it('has a token of its own, obtained just before it is exchanged', async () => {
    const local = new LocalSigstore();
    const events: string[] = [];
    const options = optionsFor(local, {
      identityToken: async () => {
        events.push('token');
        return `${local.token()}\n`;
      },
      fetch: async (url, init) => {
        events.push(new URL(String(url)).pathname);
        return local.fetch(url as string, init);
      },
    });
    await signBlob(options);
    await signBlob(options);
    const once = ['token', '/api/v2/signingCert', '/api/v1/log/entries'];
    expect(events).toEqual([...once, ...once]);
  });

  it('is signed over the subject even when the token has an e-mail address', async () => {
    const local = new LocalSigstore();
    const token = local.token({ ...CLAIMS, email: 'x@y.z', email_verified: true } as never);
    await signBlob(optionsFor(local, { identityToken: async () => token }));
  });

  it('is handed out without trust material too, when the answers are about it', async () => {
    const { trust, ...options } = optionsFor(new LocalSigstore());
    expect((await signBlob(options)).bundle.length).toBeGreaterThan(1000);
  });

  it('whose entry exists already is taken from where it is, never from the address in the answer', async () => {
    const local = new LocalSigstore();
    const usual = local.answer.bind(local);
    local.answer = (method, url, body) => {
      const answer = usual(method, url, body);
      if (method !== 'POST' || url.pathname !== '/api/v1/log/entries') return answer;
      const location = `https://evil.example/api/v1/log/entries/${local.log.uuidAt(local.log.size - 1)}`;
      return new Response('{}', { status: 409, headers: { location } });
    };
    await signBlob(optionsFor(local));
    expect(paths(local).at(-1)).toMatch(/^GET \/api\/v1\/log\/entries\/[0-9a-f]{64}$/);
  });
});

describe('a signed statement', () => {
  it.each([1, 2] as const)('is verified, with a log of version %i', async (rekorMajorVersion) => {
    const local = new LocalSigstore();
    const { artifact, ...options } = optionsFor(local, { rekorMajorVersion, tsaUrl: TSA_URL });
    const { bundle } = await signStatement({ ...options, statement: STATEMENT });
    const { signature } = verifyBundle({ bundle, artifact: ARTIFACT, trust: local.trust, policy });
    expect(signature.statement).toEqual(STATEMENT);
    const payload = JSON.parse(Buffer.from(bundle).toString()).dsseEnvelope.payload;
    expect(Buffer.from(payload, 'base64').toString()).toContain('"predicate":{"a":[true,null],"b":1}');
  });
});

describe('signing is refused', () => {
  const CERT = '/api/v2/signingCert';
  const LOG = '/api/v1/log/entries';
  const chain = (...certificates: string[]) =>
    Response.json({ signedCertificateEmbeddedSct: { chain: { certificates } } });

  it.each<[title: string, code: string, token: string]>([
    ['no token', 'signing.token_malformed', ''],
    ['two parts', 'signing.token_malformed', 'e30.e30'],
    ['padding', 'signing.token_malformed', 'e30=.e30.e30'],
    ['a payload that is no JSON', 'signing.token_malformed', 'e30.eA.e30'],
    ['no subject', 'signing.token_malformed', new LocalSigstore().token({ iss: ISSUER })],
    ['no issuer', 'signing.token_malformed', new LocalSigstore().token({ sub: 'agent:x' })],
    ['an empty subject', 'signing.token_malformed', new LocalSigstore().token({ iss: ISSUER, sub: '' })],
    ['a huge token', 'signing.token_malformed', `e30.${'a'.repeat(70_000)}.e30`],
  ])('for %s: %s, and nobody is asked', async (_title, code, token) => {
    const local = new LocalSigstore();
    const error = await failure(signBlob(optionsFor(local, { identityToken: async () => token })));
    expect(error.code).toBe(code);
    if (token.length > 10) expect(`${error.message} ${error.stack}`).not.toContain(token);
    expect(local.requests).toEqual([]);
  });

  it('when no token can be had', async () => {
    const cause = new Error('no');
    const error = await failure(
      signBlob(optionsFor(new LocalSigstore(), { identityToken: () => Promise.reject(cause) })),
    );
    expect(error.code).toBe('signing.token_unavailable');
    expect(error.cause).toBe(cause);
  });

  const answers: [
    title: string,
    code: string,
    path: string,
    answer: (local: LocalSigstore, body: string) => Response,
  ][] = [
    ['the authority says no', 'signing.ca_refused', CERT, () => Response.json({ message: 'no' }, { status: 400 })],
    ['the authority is out of order', 'signing.ca_unavailable', CERT, () => Response.json({}, { status: 500 })],
    ['the authority has too much to do', 'signing.ca_unavailable', CERT, () => Response.json({}, { status: 429 })],
    [
      'the authority sends us elsewhere',
      'signing.ca_refused',
      CERT,
      () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } }),
    ],
    ['the authority sends no JSON', 'signing.ca_answer_invalid', CERT, () => new Response('hello')],
    ['the authority sends no object', 'signing.ca_answer_invalid', CERT, () => Response.json([])],
    ['the authority sends no certificate', 'signing.ca_answer_invalid', CERT, () => chain()],
    ['the authority sends something else', 'signing.ca_answer_invalid', CERT, () => chain('hello')],
    [
      'the authority sends a broken certificate',
      'signing.ca_answer_invalid',
      CERT,
      () => chain(toPem(Buffer.from('abc'))),
    ],
    [
      'the certificate timestamp is apart',
      'signing.ca_answer_invalid',
      CERT,
      (local, body) =>
        Response.json({ signedCertificateDetachedSct: { ...issued(local, body), signedCertificateTimestamp: 'AAAA' } }),
    ],
    [
      'the certificate is for another key',
      'signing.certificate_not_ours',
      CERT,
      (local) => chain(toPem(local.issue(newKeys().publicKey))),
    ],
    ['the log says no', 'signing.log_refused', LOG, () => Response.json({ message: 'no' }, { status: 400 })],
    ['the log is out of order', 'signing.log_unavailable', LOG, () => new Response('', { status: 503 })],
    ['the log sends no entry', 'signing.log_answer_invalid', LOG, () => Response.json({})],
    [
      'the log says that it has it, but not where',
      'signing.log_answer_invalid',
      LOG,
      () => Response.json({}, { status: 409 }),
    ],
    [
      'the log has another entry',
      'signing.log_answer_invalid',
      LOG,
      (local) =>
        Response.json(local.log.entryAt(local.log.append({ apiVersion: '0.0.1', kind: 'hashedrekord', spec: {} }, 1))),
    ],
  ];
  it.each(answers)('when %s: %s', async (_title, code, path, answer) => {
    const error = await failure(signBlob(optionsFor(withAnswer(path, answer))));
    expect(error.code).toBe(code);
    expect(error.url === undefined || error.url.startsWith('http://localhost:7080')).toBe(true);
  });

  it.each([
    ['refuses', 'signing.timestamp_refused', 400],
    ['is out of order', 'signing.timestamp_unavailable', 500],
  ])('when the timestamp authority %s: %s', async (_title, code, status) => {
    const local = withAnswer('/api/v1/timestamp', () => Response.json({}, { status }));
    expect((await failure(signBlob(optionsFor(local, { tsaUrl: TSA_URL })))).code).toBe(code);
  });

  it('when the certificate is for somebody else', async () => {
    for (const options of [
      { claims: { ...CLAIMS, sub: 'agent:other', agent_name: 'other' } },
      { claims: { ...CLAIMS, iss: 'https://x' } },
    ]) {
      const local = withAnswer(CERT, () => Response.json({}));
      const usual = LocalSigstore.prototype.answer.bind(local);
      const issue = local.issue.bind(local);
      local.issue = (publicKey) => issue(publicKey, options);
      local.answer = usual;
      const error = await failure(signBlob(optionsFor(local)));
      expect(error.code).toBe('signing.certificate_not_ours');
      expect(error.message).toContain('agent:code-writer');
    }
  });

  it('not when a build runner’s certificate has another form of its name', async () => {
    const local = new LocalSigstore();
    const issue = local.issue.bind(local);
    local.issue = (publicKey, options) =>
      issue(publicKey, { ...options, claims: { iss: 'https://runner.example' }, sans: [emailName('a@b.c')] });
    const identityToken = async () => local.token({ iss: 'https://runner.example', sub: 'repo:acme/shop' });
    expect((await signBlob(optionsFor(local, { identityToken }))).identity.subject).toBe('a@b.c');
  });

  it('when what came together does not verify against the trusted root', async () => {
    const local = new LocalSigstore();
    const error = await failure(signBlob(optionsFor(local, { trust: new LocalSigstore().trust })));
    expect(error.code).toBe('signing.verification_failed');
    expect(error.message).toContain('log_entry.untrusted_log');
    const issue = local.issue.bind(local);
    local.issue = (publicKey, options) => issue(publicKey, { ...options, sctBy: 'nobody' });
    expect((await failure(signBlob(optionsFor(local)))).message).toContain('sct.missing');
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('when the clock of the authority is %s, with and without roots', async (_title, off) => {
    for (const [rekorMajorVersion, tsaUrl] of [[1], [1, TSA_URL], [2, TSA_URL]] as const) {
      const local = new LocalSigstore();
      const issue = local.issue.bind(local);
      const at = (ms: number) => new Date(local.now.getTime() + ms);
      local.issue = (publicKey, options) =>
        issue(publicKey, { ...options, notBefore: at(off), notAfter: at(off + 600_000) });
      for (const trust of [local.trust, undefined]) {
        const error = await failure(signBlob(optionsFor(local, { trust, rekorMajorVersion, tsaUrl })));
        expect(error.code).toBe('signing.verification_failed');
        expect(error.message).toMatch(/certificate\.expired|timestamp\.outside_certificate/);
      }
    }
  });

  it('when nobody answers', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
    const error = await failure(signBlob(optionsFor(new LocalSigstore(), { fetch: () => Promise.reject(refused) })));
    expect(error.code).toBe('signing.ca_unavailable');
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.url).toBe('http://localhost:7080/api/v2/signingCert');
    expect(error.status).toBeUndefined();
  });

  it('when nobody answers in time', async () => {
    const fetch: typeof globalThis.fetch = (_url, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    const error = await failure(signBlob(optionsFor(new LocalSigstore(), { fetch, timeoutMs: 10 })));
    expect(error.message).toContain('timeout');
  });

  it('when an answer has no end', async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1024 * 1024)) }));
    const error = await failure(signBlob(optionsFor(withAnswer(CERT, endless))));
    expect([error.code, error.message]).toEqual([
      'signing.ca_unavailable',
      expect.stringContaining('more than 4194304 bytes'),
    ]);
  });

  it('with the peer’s reason in one clean line, and never with the token', async () => {
    const local = new LocalSigstore();
    const token = local.token();
    const message = `bad token ${token}\n\u001b[31mred\u202e ${'z'.repeat(300)}`;
    local.answer = () => Response.json({ message }, { status: 401 });
    const error = await failure(signBlob(optionsFor(local, { fulcioUrl: 'http://user:secret@localhost:7080/?q=1' })));
    expect(error.status).toBe(401);
    expect(error.message).toContain('bad token <token>');
    expect(error.message).toMatch(/^[\x20-\x7e]+$/);
    expect(error.message.length).toBeLessThan(400);
    const all = JSON.stringify([error.message, error.stack, error.url, `${error.cause}`]);
    for (const secret of [token, token.split('.')[1] as string, token.split('.')[2] as string, 'secret']) {
      expect(all).not.toContain(secret);
    }
  });

  it('only after it was tried again, when the peer is overloaded', async () => {
    let calls = 0;
    const local = withAnswer(CERT, (own, body) =>
      ++calls < 3
        ? new Response('', { status: 503 })
        : LocalSigstore.prototype.answer.call(own, 'POST', new URL(FULCIO_URL + CERT), body),
    );
    await signBlob(optionsFor(local, { retries: 2 }));
    expect(calls).toBe(3);
    calls = -10;
    expect((await failure(signBlob(optionsFor(local, { retries: 1 })))).code).toBe('signing.ca_unavailable');
    expect(calls).toBe(-8);
  });

  it('once, where an answer is too large to be read: the next one would be as large', async () => {
    let calls = 0;
    const local = withAnswer(CERT, () => {
      calls += 1;
      return new Response('x'.repeat(4 * 1024 * 1024 + 1));
    });
    expect((await failure(signBlob(optionsFor(local, { retries: 2 })))).code).toBe('signing.ca_unavailable');
    expect(calls).toBe(1);
  });

  it('names a subject that nobody can spell otherwise', () => {
    expect(uriName('agent:x')[0]).toBe(0x86);
  });
});
