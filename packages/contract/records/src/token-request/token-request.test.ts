import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESERVED_CLAIMS } from '../claim/claim.ts';
import { REQUEST_ISSUE_CODES } from './request-issue.ts';
import { parseTokenRequest, type TokenRequest } from './token-request.ts';

const hex = '0123456789abcdef'.repeat(4);
const six = {
  agent_name: 'code-writer',
  agent_version: '1.2.3',
  model_id: 'model-4-20260101',
  prompt_hash: hex,
  policy_pack_hash: `sha256:${hex}`,
  human_reviewer: 'jane@example.com',
};
const full = {
  ...six,
  purpose: 'artifact',
  model_provider: 'vendor',
  review_timestamp: '2026-11-21T10:00:00Z',
  repo: 'org/repo',
  repo_uri: 'https://forge.example/org/repo',
  commit_sha: 'a'.repeat(40),
  audience: 'sigstore',
};
const review = {
  purpose: 'review',
  human_reviewer: 'jane@example.com',
  repo: 'org/repo',
  repo_uri: 'https://forge.example/org/repo',
  commit_sha: 'a'.repeat(40),
  audience: 'sigstore',
};
/** Of the key in RFC 7638 §3.1. */
const JKT = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs';
const commit = {
  purpose: 'commit',
  agent_name: 'code-writer',
  agent_version: '1.2.3',
  model_id: 'model-4-20260101',
  prompt_hash: hex,
  policy_pack_hash: hex,
  tree_sha: 'b'.repeat(40),
};

const parse = (body: unknown) => parseTokenRequest(new TextEncoder().encode(JSON.stringify(body)));
const issuesOf = (body: unknown) => {
  const result = parse(body);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};
const without = (body: object, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

describe('parseTokenRequest', () => {
  it('accepts the six fields of contract §2.2 alone, and normalises the hashes', () => {
    expect(parse(six)).toStrictEqual({
      ok: true,
      value: { purpose: 'artifact', ...six, prompt_hash: `sha256:${hex}`, policy_pack_hash: `sha256:${hex}` },
    });
  });

  it('accepts every optional field', () => {
    expect(parse({ ...full, review_timestamp: '2026-11-21T10:00:00.000Z', commit_sha: 'b'.repeat(64) })).toStrictEqual({
      ok: true,
      value: { ...full, prompt_hash: `sha256:${hex}`, commit_sha: 'b'.repeat(64) },
    });
  });

  it("accepts a reviewer's request, in full and at its smallest", () => {
    expect(parse(review)).toStrictEqual({ ok: true, value: review });
    const smallest = { purpose: 'review', human_reviewer: 'jane@example.com' };
    expect(parse(smallest)).toStrictEqual({ ok: true, value: smallest });
  });

  it.each([[[]], ['text'], [1], [null], [true], [[six]]])('refuses %j, which is no object', (body) => {
    expect(issuesOf(body)).toEqual([' request.not_object']);
  });

  it('passes on what the JSON itself has wrong', () => {
    expect(parseTokenRequest(new TextEncoder().encode('{"agent_name":"a","agent_name":"b"}'))).toMatchObject({
      issues: [{ path: '/agent_name', code: 'json.duplicate_key' }],
    });
    expect(parseTokenRequest(new Uint8Array(1024 * 1024 + 1))).toMatchObject({ issues: [{ code: 'json.too_large' }] });
  });

  it.each(Object.keys(six))('refuses a request without %s', (field) => {
    expect(issuesOf(without(six, field))).toEqual([`/${field} request.field_missing`]);
    expect(issuesOf(without(full, field))).toEqual([`/${field} request.field_missing`]);
  });

  it.each(Object.keys(full))('accepts only a string with something in it for %s', (field) => {
    expect(issuesOf({ ...full, [field]: null })).toEqual([`/${field} request.field_null`]);
    for (const value of [1, true, [], {}, ['a'], { toString: 'a' }]) {
      expect(issuesOf({ ...full, [field]: value })).toEqual([`/${field} request.field_type`]);
    }
    for (const value of ['', ' ', '\t\n']) {
      expect(issuesOf({ ...full, [field]: value })).toEqual([`/${field} request.field_empty`]);
    }
    expect(issuesOf({ ...full, [field]: 'not\u200bthis' })).toEqual([`/${field} request.field_invalid`]);
  });

  it.each([
    ['agent_name', 'code writer'],
    ['agent_version', '1 2'],
    ['model_id', 'x'.repeat(257)],
    ['model_provider', 'vendor/region'],
    ['prompt_hash', 'sha512:abc'],
    ['policy_pack_hash', hex.slice(1)],
    ['human_reviewer', 'jane'],
    ['review_timestamp', '2026-02-30T10:00:00Z'],
    ['repo', 'repo'],
    ['repo_uri', 'http://forge.example/org/repo'],
    ['commit_sha', 'main'],
    ['audience', 'two words'],
    ['purpose', 'deploy'],
    ['dpop_jkt', 'A'.repeat(42)],
    ['dpop_jkt', 'A'.repeat(44)],
    ['dpop_jkt', `${'A'.repeat(42)}B`],
    ['dpop_jkt', `${'A'.repeat(42)}=`],
    ['dpop_jkt', `${'A'.repeat(41)}+A`],
  ])('refuses %s = %s, and says what it expects', (field, value) => {
    expect(parse({ ...full, [field]: value })).toMatchObject({
      issues: [{ path: `/${field}`, code: 'request.field_invalid', expected: expect.stringMatching(/./) }],
    });
  });

  it('lets versions and model identifiers hold what vendors write', () => {
    expect(issuesOf({ ...full, agent_version: '1.0.0-rc.1+5', model_id: 'us.vendor/model-4@2026:0' })).toEqual([]);
  });

  it.each([...RESERVED_CLAIMS])('refuses %s, which only the issuer sets', (claim) => {
    expect(issuesOf({ ...full, [claim]: 'x' })).toEqual([`/${claim} request.claim_reserved`]);
    expect(issuesOf({ ...review, [claim]: 'x' })).toEqual([`/${claim} request.claim_reserved`]);
    expect(issuesOf({ ...full, [claim]: null })).toEqual([`/${claim} request.claim_reserved`]);
  });

  it.each(['extra', 'Agent_name', 'agent_name ', 'toString', 'constructor', 'hasOwnProperty', 'nonce', ''])(
    'refuses the unknown field "%s"',
    (field) => {
      expect(issuesOf({ ...full, [field]: 'x' })).toEqual([`/${field} request.field_unknown`]);
    },
  );

  it('refuses __proto__, and takes no field from it', () => {
    const body = `{"__proto__":${JSON.stringify(six)}}`;
    const result = parseTokenRequest(new TextEncoder().encode(body));
    expect(result).toMatchObject({ ok: false });
    expect(!result.ok && result.issues.map(({ code }) => code)).toEqual([
      'request.field_unknown',
      ...Object.keys(six).map(() => 'request.field_missing'),
    ]);
  });

  it.each(['agent_name', 'agent_version', 'model_id', 'prompt_hash', 'policy_pack_hash', 'review_timestamp'])(
    "knows no %s in a reviewer's request",
    (field) => {
      expect(issuesOf({ ...review, [field]: full[field as keyof typeof full] })).toEqual([
        `/${field} request.field_unknown`,
      ]);
    },
  );

  it('takes a commit by its tree, with or without parent, reviewer and the rest', () => {
    const prefixed = { prompt_hash: `sha256:${hex}`, policy_pack_hash: `sha256:${hex}` };
    expect(parse(commit)).toStrictEqual({ ok: true, value: { ...commit, ...prefixed } });
    const rest = { parent_sha: 'c'.repeat(40), human_reviewer: 'jane@example.com', model_provider: 'vendor' };
    const more = { repo: 'org/repo', repo_uri: 'https://forge.example/org/repo', audience: 'sigstore', dpop_jkt: JKT };
    expect(issuesOf({ ...commit, ...rest, ...more })).toEqual([]);
  });

  it.each(['commit_sha', 'review_timestamp'] as const)('knows no %s of a commit that is not made yet', (field) => {
    expect(issuesOf({ ...commit, [field]: full[field] })).toEqual([`/${field} request.field_unknown`]);
  });

  it.each(Object.keys({ ...commit, purpose: undefined }).filter((field) => field !== 'purpose'))(
    'needs %s of a commit',
    (field) => {
      expect(issuesOf({ ...commit, [field]: undefined })).toEqual([`/${field} request.field_missing`]);
    },
  );

  it('takes the thumbprint of a key for every purpose', () => {
    for (const request of [six, review, commit]) {
      expect(parse({ ...request, dpop_jkt: JKT })).toMatchObject({ ok: true, value: { dpop_jkt: JKT } });
    }
  });

  it('refuses a reviewer without an address', () => {
    expect(issuesOf({ purpose: 'review' })).toEqual(['/human_reviewer request.field_missing']);
  });

  it('reports everything at once, strangers first, then the fields in contract order', () => {
    expect(
      issuesOf({
        commit_sha: 'main',
        more: 1,
        agent_version: 7,
        purpose: 'deploy',
        sub: 'agent:x',
        model_id: '',
        repo: null,
      }),
    ).toEqual([
      '/more request.field_unknown',
      '/sub request.claim_reserved',
      '/purpose request.field_invalid',
      '/agent_name request.field_missing',
      '/agent_version request.field_type',
      '/model_id request.field_empty',
      '/prompt_hash request.field_missing',
      '/policy_pack_hash request.field_missing',
      '/human_reviewer request.field_missing',
      '/repo request.field_null',
      '/commit_sha request.field_invalid',
    ]);
  });

  it('names at most twenty strangers', () => {
    const strangers = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 1]));
    const issues = issuesOf({ ...six, ...strangers });
    expect(issues).toHaveLength(20);
    expect(issues.at(-1)).toBe('/f19 request.field_unknown');
  });

  it('repeats no value in an issue', () => {
    const canary = 'canary-c0ffee';
    const body = Object.fromEntries(Object.keys(full).map((field) => [field, `${canary} ${field}`]));
    const result = parse({ ...body, sub: canary, more: canary });
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain(canary);
  });

  it('gives every issue a sentence and its section of the contract', () => {
    expect(REQUEST_ISSUE_CODES).toHaveLength(8);
    const bodies = [1, { ...six, sub: 'x' }, { ...six, x: 1 }, {}, { ...full, repo: null }, { ...full, repo: 1 }];
    for (const body of [...bodies, { ...full, repo: '' }, { ...full, repo: 'x' }]) {
      expect(parse(body)).toMatchObject({
        issues: expect.arrayContaining([
          expect.objectContaining({
            message: expect.stringMatching(/\.$/),
            source: expect.stringMatching(/^contract §2\.[12]$/),
          }),
        ]),
      });
    }
    expect(parse({ ...six, x: 1 })).not.toMatchObject({ issues: [{ expected: expect.anything() }] });
    expect(parse(without(six, 'model_id'))).toMatchObject({ issues: [{ expected: expect.stringContaining('256') }] });
  });

  it('gives the same request when what it returned is sent again', () => {
    fc.assert(
      fc.property(anyRequest, (body) => {
        const result = parse(body);
        expect(result.ok).toBe(true);
        if (result.ok) expect(parse(result.value satisfies TokenRequest)).toStrictEqual(result);
      }),
    );
  });

  it('never throws, and returns only flat strings without control characters', () => {
    const member = fc.oneof(fc.constantFrom(...Object.keys(full), ...RESERVED_CLAIMS, '__proto__'), fc.string());
    const mutated = fc
      .tuple(anyRequest, fc.dictionary(member, fc.oneof(fc.jsonValue(), anyText())), fc.boolean())
      .map(([body, changes, isMerged]) => JSON.stringify(isMerged ? { ...body, ...changes } : changes));
    const bytes = fc.oneof(
      mutated.map((text) => new TextEncoder().encode(text)),
      fc.uint8Array({ maxLength: 100 }),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        const result = parseTokenRequest(body);
        if (!result.ok) {
          expect(result.issues.length).toBeGreaterThan(0);
          return;
        }
        for (const [name, value] of Object.entries(result.value)) {
          expect(RESERVED_CLAIMS).not.toContain(name);
          expect(value).toMatch(/^[!-~]{1,256}$/);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const word = fc.stringMatching(/^[!-~]{1,40}$/).filter((text) => text !== 'unknown');
const anyHash = fc
  .tuple(fc.constantFrom('', 'sha256:'), fc.stringMatching(/^[0-9a-fA-F]{64}$/))
  .map(([prefix, digits]) => prefix + digits);
const address = fc.stringMatching(/^[a-z0-9]{1,9}(\.[a-z]{1,9})?@[a-z0-9]{1,9}(\.[a-z]{2,5})?$/);
const optional = {
  repo: fc.stringMatching(/^[a-z]{1,9}\/[a-z]{1,9}$/),
  repo_uri: fc.webUrl({ validSchemes: ['https'] }).filter((url) => url.length < 200),
  commit_sha: fc.stringMatching(/^([0-9a-f]{40}|[0-9a-f]{64})$/),
  audience: word,
};
const anyRequest = fc.oneof(
  fc.record(
    {
      agent_name: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/).filter((text) => text !== 'unknown'),
      agent_version: word,
      model_id: word,
      prompt_hash: anyHash,
      policy_pack_hash: anyHash,
      human_reviewer: address,
      purpose: fc.constant('artifact'),
      model_provider: word.filter((text) => !text.includes('/')),
      review_timestamp: fc
        .date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-01-01') })
        .map((date) => date.toISOString()),
      ...optional,
    },
    { requiredKeys: ['agent_name', 'agent_version', 'model_id', 'prompt_hash', 'policy_pack_hash', 'human_reviewer'] },
  ),
  fc.record(
    { purpose: fc.constant('review'), human_reviewer: address, ...optional },
    { requiredKeys: ['purpose', 'human_reviewer'] },
  ),
);

describe('a receipt in a request', () => {
  const read = (receipt: unknown, more: object = {}) => parse({ ...six, ...more, receipt });
  const envelope = { payloadType: 't', payload: 'x'.repeat(20_000), signatures: [] };

  it('is an object, or as in a form its text', () => {
    expect(read(envelope)).toMatchObject({ ok: true, value: { receipt: envelope } });
    expect(read(JSON.stringify(envelope))).toMatchObject({ ok: true, value: { receipt: envelope } });
  });

  it.each([[null], [1], [[]], ['no JSON'], ['[]'], ['']])('is not %j', (receipt) => {
    expect(read(receipt)).toMatchObject({ ok: false, issues: [{ path: '/receipt' }] });
  });

  it('is none of a review', () => {
    expect(read(envelope, { purpose: 'review' })).toMatchObject({ ok: false });
  });
});
